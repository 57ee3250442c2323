"""What went through the gateway for one trial: every exchange, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from agenteval.gateway.wire.protocol import ToolCall, Usage

Kind = Literal["main", "side", "sub", "count"]
SERVED = (None, "slow", "cut")  # planted faults with which the provider answers all the same
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


@dataclass(frozen=True)
class Exchange:
    """One request of the agent, and what it was answered.

    Attributes
    ----------
    seq
        Counts from 1, in the order in which the requests came.
    started
        When the request came; seconds of `time.monotonic`.
    wire
        Name of the wire format.
    kind
        `main` conversation, `side` request (a title, a summary: no tools offered), `sub`-agent, or
        `count` for a request that only counts tokens.
    model
        Model that answered, else the one asked for.
    usage
        Tokens by the provider's own fields.
    cost_usd
        By the price table; None where the price or the tokens are unknown.
    stop_reason
        In the provider's words.
    offered
        Names of the tools that were offered.
    calls
        Tool calls made.
    results
        New tool results that came with the request.
    failed_results
        How many of them were marked as errors.
    status
        HTTP status that the agent got; None when it got no answer.
    complete
        Whether the answer came to its end.
    latency_s
        From the request to the last byte, waiting for the provider's limits included.
    first_byte_s
        From the request to the first byte of the answer.
    rate_limited_s
        Seconds of it spent waiting for the provider's limits.
    retries
        Further tries that the gateway made.
    error
        What went wrong, in words.
    provider_error
        Whether the provider or the way to it failed, after all tries.
    planted
        Kind of the fault that was planted here.
    refused
        Limit that was reached, or `waited` where the agent left before that was sure: the request
        never went out.
    """

    seq: int
    started: float
    wire: str
    kind: Kind
    model: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    stop_reason: str | None = None
    offered: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    results: int = 0
    failed_results: int = 0
    status: int | None = None
    complete: bool = False
    latency_s: float = 0.0
    first_byte_s: float | None = None
    rate_limited_s: float = 0.0
    retries: int = 0
    error: str | None = None
    provider_error: bool = False
    planted: str | None = None
    refused: str | None = None

    @property
    def ended(self) -> float:
        """When the last byte went out; seconds of `time.monotonic`."""
        return self.started + self.latency_s

    @property
    def counts(self) -> bool:
        """Whether it asked for an answer and was let through."""
        return self.kind != "count" and self.refused is None

    @property
    def answered(self) -> bool:
        """Whether the agent got a whole answer of the model."""
        return self.counts and self.complete and self.error is None and self.status == 200


@dataclass(frozen=True)
class Traffic:
    """All that went through the gateway for one trial; None is unknown.

    Attributes
    ----------
    exchanges
        In the order in which the requests came.
    price_table
        Name of the prices that costs are by.
    ended_by
        Who ended the trial, when the gateway did: `cost_limit`, `token_limit`, `request_limit`,
        `turn_limit` or `infrastructure`.
    error_class
        `provider_down`, `replay_diverged` or `gateway_down`.
    message
        Why, in words; of a replay that diverged, what was sent against what was recorded.
    quota_until
        When the provider says that its quota is there again.
    planted
        How often each kind of fault was planted.
    """

    exchanges: tuple[Exchange, ...] = ()
    price_table: str | None = None
    ended_by: str | None = None
    error_class: str | None = None
    message: str | None = None
    quota_until: datetime | None = None
    planted: Mapping[str, int] = field(default_factory=dict)

    @property
    def _counted(self) -> list[Exchange]:
        return [exchange for exchange in self.exchanges if exchange.counts]

    def _main(self) -> list[Exchange]:
        return [exchange for exchange in self._counted if exchange.kind == "main"]

    @property
    def requests(self) -> int:
        """Requests for an answer that were let through."""
        return len(self._counted)

    @property
    def turns(self) -> int:
        """Whole answers of the main conversation."""
        return sum(exchange.answered for exchange in self._main())

    @property
    def side_requests(self) -> int:
        """Requests beside the conversations, such as for a title."""
        return sum(exchange.kind == "side" for exchange in self._counted)

    @property
    def subagent_requests(self) -> int:
        """Requests of sub-agents."""
        return sum(exchange.kind == "sub" for exchange in self._counted)

    def _bucket(self, name: str) -> int | None:
        """Sum of one bucket over what was answered; None as soon as one of them is unknown."""
        values = [getattr(exchange.usage, name) for exchange in self._counted if _used(exchange)]
        return None if not values or None in values else sum(values)

    @property
    def input_tokens(self) -> int | None:
        """Fresh input tokens."""
        return self._bucket("input_tokens")

    @property
    def cache_read_tokens(self) -> int | None:
        """Input tokens read from a cache."""
        return self._bucket("cache_read_tokens")

    @property
    def cache_write_tokens(self) -> int | None:
        """Input tokens written to a cache."""
        return self._bucket("cache_write_tokens")

    @property
    def output_tokens(self) -> int | None:
        """Output tokens."""
        return self._bucket("output_tokens")

    @property
    def first_cache_read_tokens(self) -> int | None:
        """Cache reads of the main conversation's first answer: what somebody else has paid for."""
        first = next((exchange for exchange in self._main() if _has_usage(exchange)), None)
        return None if first is None else first.usage.cache_read_tokens

    @property
    def tool_calls(self) -> int:
        """Tool calls made by the model, sub-agents included."""
        return sum(len(exchange.calls) for exchange in self._counted)

    @property
    def tool_errors(self) -> int:
        """Tool results that came back marked as errors; not every wire format marks them."""
        return sum(exchange.failed_results for exchange in self._counted)

    @property
    def cost_usd(self) -> float | None:
        """Dollars by the price table; None as soon as one answer's cost is unknown."""
        costs = [exchange.cost_usd for exchange in self._counted if _used(exchange)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None

    @property
    def model_used(self) -> str | None:
        """Model of the main conversation; several are joined by commas."""
        names = [exchange.model for exchange in self._main() if exchange.answered]
        return ", ".join(dict.fromkeys(name for name in names if name)) or None

    @property
    def model_s(self) -> float:
        """Seconds in which at least one request was with the model, waiting for limits left out."""
        return sum(end - start for start, end in _union(map(_with_model, self.exchanges)))

    @property
    def tool_s(self) -> float:
        """Seconds from an answer with tool calls to the main conversation's next request.

        What sub-agents and side requests spent with the model in between is left out.
        """
        spans = _union((exchange.started, exchange.ended) for exchange in self.exchanges)
        main, total = self._main(), 0.0
        for before, after in zip(main, main[1:], strict=False):
            if before.calls and after.started > before.ended:
                within = sum(
                    max(0.0, min(end, after.started) - max(start, before.ended))
                    for start, end in spans
                )
                total += after.started - before.ended - within
        return total

    @property
    def rate_limited_s(self) -> float:
        """Seconds spent waiting for the provider's limits."""
        return sum(exchange.rate_limited_s for exchange in self.exchanges)

    @property
    def retries(self) -> int:
        """Further tries that the gateway made."""
        return sum(exchange.retries for exchange in self.exchanges)

    @property
    def provider_errors(self) -> int:
        """Requests that the provider failed on, after all tries."""
        return sum(exchange.provider_error for exchange in self.exchanges)


def _has_usage(exchange: Exchange) -> bool:
    """Whether tokens were used for it: an answer of the model, or the part that came."""
    return exchange.answered or any(
        getattr(exchange.usage, bucket) is not None for bucket in BUCKETS
    )


def _used(exchange: Exchange) -> bool:
    """Whether tokens were used for it, or some may have been: an answer began and did not come whole."""
    began = exchange.status == 200 and exchange.planted in SERVED and not exchange.complete
    return began or _has_usage(exchange)


def _with_model(exchange: Exchange) -> tuple[float, float]:
    """When a request was with the model; waiting for limits comes before that."""
    return min(exchange.started + exchange.rate_limited_s, exchange.ended), exchange.ended


def _union(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans that do not overlap, in order.

    >>> _union([(0, 2), (5, 6), (1, 3)])
    [(0, 3), (5, 6)]
    """
    joined: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
