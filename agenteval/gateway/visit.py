"""One request of an agent while the gateway is at it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from aiohttp import web

from agenteval.gateway.pacing import Waited
from agenteval.gateway.session import Session
from agenteval.gateway.traffic import Exchange
from agenteval.gateway.wire.protocol import Asked, Wire


@dataclass
class Visit:
    """What is known of one request while it is under way."""

    session: Session
    request: web.BaseRequest
    wire: Wire
    path: str
    body: bytes
    asked: Asked
    exchange: Exchange
    waited: Waited
    first_byte: float | None = None
    chunks: list[tuple[float, bytes]] = field(default_factory=list)

    def finished(self, **changes: object) -> Exchange:
        """The exchange with its times, as of now."""
        started = self.exchange.started
        first = None if self.first_byte is None else self.first_byte - started
        times = {
            "latency_s": time.monotonic() - started,
            "first_byte_s": first,
            "rate_limited_s": self.waited.seconds,
            "retries": self.waited.retries,
        }
        return replace(self.exchange, **times | changes)  # type: ignore[arg-type]
