"""One trial's way through the gateway."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime

from aiohttp import StreamReader
from aiohttp.web import HTTPRequestEntityTooLarge

from agenteval.gateway.meter import Meter
from agenteval.gateway.recording import Recorder
from agenteval.gateway.replay import Player
from agenteval.gateway.terms import Terms
from agenteval.gateway.traffic import Traffic
from agenteval.gateway.upstreams import Upstream

MOST_HELD = 256 << 20  # bytes of all requests under way; providers take an eighth of it in one
MOST_AT_ONCE = 64  # requests of one trial with a provider; the others get their turn too


class Session:
    """What one trial has of the gateway: a secret path, a word when it is over, and its traffic.

    Attributes
    ----------
    token
        Secret of this trial; what the agent has in the place of a key, worth nothing elsewhere.
    path
        `/t/<token>`: what comes behind the gateway's address in the agent's base URL.
    places
        Bounds how many of its requests are with a provider at the same time.
    stop
        Set when the gateway ended the trial (a limit, a replay that diverged, a quota used up);
        the engine then stops the agent.
    """

    def __init__(
        self,
        terms: Terms,
        meter: Meter,
        *,
        upstream: tuple[Upstream, str] | None,
        forget: Callable[[Session], None],
    ) -> None:
        self.terms, self.meter = terms, meter
        self.upstream = upstream
        self.recorder: Recorder | None = None
        self.replay: Player | None = None
        self.script = None if terms.script is None else terms.script.player()
        self.token = secrets.token_urlsafe(24)
        self.path = f"/t/{self.token}"
        self.stop = threading.Event()
        self.tasks: set[asyncio.Task[object]] = set()
        self._forget = forget
        self._last: float | None = None
        self.places = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = self._held = 0
        self._traffic: Traffic | None = None

    def last_activity(self) -> float | None:
        """When a byte last came from the agent or went to it (`time.monotonic`); None before the first.

        While a request waits for the provider's limits that is now: nobody can blame the agent.
        """
        return time.monotonic() if self._waiting else self._last

    def touch(self, now: float | None = None) -> None:
        """Something moved, now or when it is said (`time.monotonic`)."""
        self._last = time.monotonic() if now is None else now

    @asynccontextmanager
    async def holding(self, content: StreamReader) -> AsyncIterator[bytes]:
        """A request's body, as long as the request is under way: one trial cannot fill the memory of all.

        Raises
        ------
        HTTPRequestEntityTooLarge
            When the trial's bodies, unpacked, are too large together.
        """
        body = bytearray()
        try:
            while chunk := await content.readany():
                body += chunk
                self._held += len(chunk)
                if self._held > MOST_HELD:
                    raise HTTPRequestEntityTooLarge(MOST_HELD)
            yield bytes(body)
        finally:
            self._held -= len(body)

    def waits(self, change: int) -> None:
        """Count the requests that wait for the provider's limits."""
        self._waiting += change

    def name_places(self, places: Mapping[str, str]) -> None:
        """Say what the trial's folders are, as the agent sees them, before it starts.

        Parameters
        ----------
        places
            Path to a name, as in `Terms.places`, which it replaces.
        """
        if self.recorder is not None:
            self.recorder.places = dict(places)
        if self.replay is not None:
            self.replay.name_places(places)

    def expect_conversation(self) -> None:
        """The agent is started again: the conversation that it opens next is the main one too."""
        self.meter.expect_conversation()

    def end(
        self,
        ended_by: str,
        message: str,
        *,
        error_class: str | None = None,
        quota_until: datetime | None = None,
    ) -> None:
        """End the trial from here; what ended it first stays."""
        self.meter.end(ended_by, message, error_class=error_class, quota_until=quota_until)
        self.stop.set()

    def close(self) -> Traffic:
        """Cut off what is still under way and say what went through; more calls say the same."""
        if self._traffic is None:
            self._forget(self)
            self._traffic = self.meter.traffic()
        return self._traffic
