"""Measures one trial and holds its limits: before a request goes out, and after each answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import datetime
from math import inf

from agenteval.gateway.classify import Conversation, settle
from agenteval.gateway.cloud_prices import sold_as
from agenteval.gateway.estimate import estimated, limit_words, tokens_of
from agenteval.gateway.faults import FaultPlan
from agenteval.gateway.prices import Prices
from agenteval.gateway.terms import Caps
from agenteval.gateway.traffic import Exchange, Kind, Traffic
from agenteval.gateway.upstreams import Upstream
from agenteval.gateway.wire.protocol import Answered, Asked, Usage

LIMITS = {"requests": "request_limit", "turns": "turn_limit", "tokens": "token_limit", "cost_usd": "cost_limit"}  # fmt: skip
MOST_BLIND = 4
MODELS = frozenset({403, 404})


class Meter:
    """The exchanges of one trial, and whether it may go on; lives in the gateway's loop.

    Parameters
    ----------
    caps
        Limits of the trial.
    prices
        What answers cost.
    model
        Model of the trial, `provider/name`.
    upstream
        Its provider, and the model's name there; None where a script or a recording plays.
    faults
        Faults that are planted.
    """

    def __init__(
        self,
        caps: Caps,
        prices: Prices,
        *,
        model: str | None = None,
        upstream: tuple[Upstream, str] | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        self.caps, self.prices, self.faults = caps, prices, faults
        self._model, self._upstream = model, upstream
        self._exchanges: dict[int, Exchange] = {}
        self._conversation = Conversation()
        self._ended: Traffic | None = None
        self._requests = self._turns = self._early_turns = 0
        self._used_up = {"tokens": 0.0, "cost_usd": 0.0}
        self._estimated = dict(self._used_up)  # part of it
        self._under_way: dict[int, Kind] = {}
        self._largest: dict[str, float] = {}
        self._left = asyncio.Event()

    def expect_conversation(self) -> None:
        """The next conversation that is opened is the main one too."""
        self._conversation.expect()

    @property
    def ended(self) -> Traffic | None:
        """How the gateway ended the trial, if it did."""
        return self._ended

    def end(
        self,
        ended_by: str,
        message: str,
        *,
        error_class: str | None = None,
        quota_until: datetime | None = None,
    ) -> None:
        """Note what ended the trial; what ended it first stays."""
        if self._ended is None:
            self._ended = Traffic(
                ended_by=ended_by, message=message, error_class=error_class, quota_until=quota_until
            )

    def begin(self, asked: Asked, *, wire: str, started: float) -> Exchange:
        """Note a request that came in."""
        exchange = Exchange(
            seq=len(self._exchanges) + 1,
            started=started,
            wire=wire,
            kind=self._conversation.kind(asked),
            model=asked.model,
            offered=tuple(tool.name for tool in asked.tools),
            results=len(asked.results),
            failed_results=sum(failed for _, _, failed in asked.results),
        )
        self._exchanges[exchange.seq] = exchange
        return exchange

    def let_through(self, exchange: Exchange) -> int:
        """Count a request that may go out; gives its number: what faults are drawn by."""
        self._requests += exchange.kind != "count"
        if exchange.kind != "count":
            self._under_way[exchange.seq] = exchange.kind
        return self._requests

    def is_open(self, exchange: Exchange) -> bool:
        """Whether nothing more is known of an exchange than that it began."""
        return self._exchanges[exchange.seq] is exchange

    def leave(self, exchange: Exchange, *, request: bytes | None = None) -> None:
        """Note that a request that was let through is under way no more.

        Parameters
        ----------
        request
            The request where the provider has it: when no answer began, limits count it.
        """
        if request is not None and self._exchanges[exchange.seq].status is None:
            self._count(exchange, Answered(), exchange.model, request)
        self._under_way.pop(exchange.seq, None)
        self._left.set()
        self._left = asyncio.Event()

    async def settle(self, exchange: Exchange) -> None:
        """Wait while what is under way may reach a limit: requests at the same time go past none together."""
        while self._under_way and exchange.kind != "count" and self._may_reach(exchange.kind):
            await self._left.wait()

    def _may_reach(self, kind: Kind) -> bool:
        used, number = self._used(), len(self._under_way)
        turns = list(self._under_way.values()).count("main") if kind == "main" else 0
        few = number < MOST_BLIND  # before there is an answer to judge by
        ahead = {
            "turns": turns,
            **{
                name: number * self._largest[name] if name in self._largest else 0 if few else inf
                for name in ("tokens", "cost_usd")
            },
        }
        caps = {name: getattr(self.caps, name) for name in ahead}
        return any(
            cap is not None and used[name] < cap <= used[name] + ahead[name]
            for name, cap in caps.items()
        )

    def is_agents(self, asked: Asked, status: int) -> bool:
        """Whether a failure is for what the agent asked, whatever it says of the provider.

        That is no request of the format at all; or, although the trial's own model has answered,
        another one that is not there or not for everybody. Else an agent that is about to fail
        could have its trial left out.
        """
        if asked.kind == "other" or self._upstream is None:
            return asked.kind == "other"
        upstream, name = self._upstream
        other = upstream.any_model and asked.model != name
        return other and status in MODELS and bool(self._turns or self._early_turns)

    def note(self, exchange: Exchange) -> Exchange:
        """Keep what is known of an exchange by now."""
        self._exchanges[exchange.seq] = exchange
        return exchange

    def take(
        self, exchange: Exchange, answered: Answered, *, request: bytes | None = None
    ) -> Exchange:
        """Keep an exchange with what its answer says.

        Parameters
        ----------
        request
            The request where the provider answered it: what is unknown of the answer's usage counts
            towards limits by an estimate.
        """
        asked, model = exchange.model, answered.model or exchange.model
        exchange = replace(
            exchange,
            model=model,
            usage=answered.usage,
            cost_usd=self._cost(asked, model, answered.usage),
            stop_reason=answered.stop_reason,
            calls=answered.calls,
            complete=answered.complete,
            error=exchange.error or answered.error,
        )
        if exchange.kind == "main" and exchange.answered:
            self._conversation.answered(call.name for call in exchange.calls)
            self._turns += bool(exchange.offered)
            self._early_turns += not exchange.offered
        self._count(exchange, answered, asked, request)
        return self.note(exchange)

    def _count(
        self, exchange: Exchange, answered: Answered, asked: str | None, request: bytes | None
    ) -> None:
        """Count towards limits what an answer used; where that is unknown, an estimate of it."""
        if exchange.kind == "count":
            return
        known = {"tokens": tokens_of(exchange.usage), "cost_usd": exchange.cost_usd or 0.0}
        used, guess = known, None if request is None else estimated(answered, request=request)
        if guess is not None:
            cost_usd = self._cost(asked, answered.model or asked, guess)
            used = {"tokens": tokens_of(guess), "cost_usd": cost_usd or 0.0}
        for name, amount in used.items():
            self._largest[name] = max(amount, self._largest.get(name, 0.0))
            self._used_up[name] += amount
            self._estimated[name] += amount - known[name]

    def _cost(self, asked: str | None, answered: str | None, usage: Usage) -> float | None:
        """Dollars by the name of the model that answered, else by the trial's if that was asked."""
        names = [answered, self._model] if self._upstream is None else [answered]
        if self._upstream is not None and answered is not None:
            upstream, name = self._upstream
            names = [f"{upstream.name}/{answered}", *([answered] if upstream.any_model else [])]
            if upstream.litellm is not None:  # which asks for the trial's model, whatever was asked
                names = [*sold_as(upstream.litellm, answered, name)]
            elif asked == name or not upstream.any_model:
                names.append(self._model)
        for each in names:
            if each is not None and (cost := self.prices.cost(each, usage)) is not None:
                return cost
        return None

    def refusal(self, exchange: Exchange) -> tuple[str, str] | None:
        """The limit that forbids a request, and words for it; None when it may go out."""
        if exchange.kind == "count":
            return None
        used = self._used()
        for name, limit in LIMITS.items():
            cap = getattr(self.caps, name)
            if cap is None or (name == "turns" and exchange.kind != "main"):
                continue
            if used[name] >= cap:
                return limit, limit_words(name, used[name], cap, self._estimated.get(name, 0))
        return None

    def exceeded(self) -> tuple[str, str] | None:
        """A limit that an answer has carried the trial beyond, and words for it."""
        used = self._used()
        for name in ("tokens", "cost_usd"):
            cap = getattr(self.caps, name)
            if cap is not None and used[name] > cap:
                return LIMITS[name], limit_words(
                    name, used[name], cap, self._estimated.get(name, 0)
                )
        return None

    def _used(self) -> dict[str, float]:
        """What was used, estimates included; what has no price is not in it."""
        early = 0 if self._conversation.offers_tools else self._early_turns
        return {
            "requests": self._requests,
            "turns": self._turns + early,
            **self._used_up,
        }

    def _settled(self) -> Iterator[Exchange]:
        offers = self._conversation.offers_tools
        yield from settle(self._exchanges.values(), offers_tools=offers)

    def traffic(self) -> Traffic:
        """Everything so far, with who ended the trial."""
        exchanges = tuple(self._settled())
        ended = self._ended or _provider_down(exchanges) or Traffic()
        told = {field.name: getattr(ended, field.name) for field in fields(Traffic)}
        return Traffic(
            **told
            | {
                "exchanges": exchanges,
                "price_table": self.prices.name,
                "planted": {} if self.faults is None else self.faults.planted,
            }
        )


def _provider_down(exchanges: tuple[Exchange, ...]) -> Traffic | None:
    """A provider that failed on the main conversation and never answered it again."""
    counted = [exchange for exchange in exchanges if exchange.counts]
    kinds = {"main"} if any(exchange.kind == "main" for exchange in counted) else {"side", "sub"}
    for exchange in reversed(counted):
        if exchange.kind not in kinds or (exchange.planted and not exchange.provider_error):
            continue
        if exchange.answered:
            return None
        if exchange.provider_error:
            message = exchange.error or f"the provider answered {exchange.status}"
            return Traffic(ended_by="infrastructure", error_class="provider_down", message=message)
    return None
