"""What tokens cost: a dated table of list prices, which a file of the user's own goes over."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from agenteval.gateway.cloud_prices import cloud_price, is_of_cloud
from agenteval.gateway.price_file import ModelPrice, Rates, Source, parse_prices
from agenteval.gateway.wire.protocol import Usage

PRICES_VARIABLE = "AGENTEVAL_PRICES"
DATED = re.compile(r"(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|[-@]latest)$")


class Prices(Protocol):
    """A price table: its name, and what an answer costs in dollars (None where it has no price)."""

    @property
    def name(self) -> str:
        """Name of the table."""
        ...

    def cost(self, model: str, usage: Usage, /) -> float | None:
        """Dollars for an answer."""
        ...


@dataclass(frozen=True)
class PriceTable:
    """Prices by model.

    Attributes
    ----------
    name
        What records say that costs are by: `bundled-2026-11`; a file's name and digest go before it.
    date
        Day of the bundled prices.
    models
        By the provider's own name of each model, without a date.
    sources
        Where each provider's prices are from.
    """

    name: str
    date: date
    models: Mapping[str, ModelPrice] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None = None) -> PriceTable:
        """Give the bundled prices, with those of a file over them.

        Parameters
        ----------
        path
            TOML or JSON of the form of the bundled table; only `models` is needed. Without it the
            variable AGENTEVAL_PRICES may name one.

        Raises
        ------
        InvalidInput
            When the file cannot be used; names the key.
        """
        given = path or Path(os.environ.get(PRICES_VARIABLE) or os.devnull)
        bundled = _bundled()
        if str(given) == os.devnull:
            return bundled
        own, data = parse_prices(given)
        digest = hashlib.sha256(data).hexdigest()[:8]
        models = {**bundled.models, **{name.lower(): price for name, price in own.models.items()}}
        sources = {**bundled.sources, **own.providers}
        name = f"{given.name}-{digest}+{bundled.name}"
        return cls(name, bundled.date, models, sources)

    def source_of(self, provider: str) -> str | None:
        """Where a provider's prices are from, and of which day."""
        found = self.sources.get(provider)
        return None if found is None else f"{found.source} ({found.date})"

    def price(self, model: str) -> ModelPrice | None:
        """Find the price of a model, however it is spelled; None when it has none.

        Providers in front, dates behind and the spellings of Bedrock, Vertex and OpenRouter are
        seen through. A model whose name only begins alike is another model, and one that a cloud
        sells has the cloud's price, which is unknown where its name does not tell it.
        """
        name = model.strip().lower()
        if name not in self.models and is_of_cloud(name):
            return cloud_price(name, self.models)
        return next((self.models[name] for name in _spellings(model) if name in self.models), None)

    def cost(self, model: str, usage: Usage, *, summed: bool = False) -> float | None:
        """Dollars for the tokens of one request.

        None when the model has no price, when a bucket is unknown, or when a bucket that holds
        something has no rate. A bucket that is unknown does no harm where there is no rate for it:
        then its tokens are priced as the fresh input that they are counted in.

        Parameters
        ----------
        model
            As its provider, or the agent, spells it.
        usage
            Tokens of one request.
        summed
            Whether they are of several requests instead; each is taken to be short of the length
            from which on a provider charges more.
        """
        price = self.price(model)
        if price is None:
            return None
        parts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        length = sum(part or 0 for part in parts)
        rates = price.rates if summed else price.rates_for(length)
        return _cost(usage, rates)


@cache
def _bundled() -> PriceTable:
    table, _ = parse_prices(Path(str(files("agenteval.gateway") / "prices.toml")))
    return PriceTable(
        table.name or "bundled", table.date or date.min, table.models, table.providers
    )


def _cost(usage: Usage, rates: Rates) -> float | None:
    written, kept = usage.cache_write_tokens, usage.long_cache_write_tokens or 0
    if written is not None and kept > written:
        return None
    parts = [
        (usage.input_tokens, rates.input, True),
        (usage.cache_read_tokens, rates.cache_read, False),
        (None if written is None else written - kept, rates.cache_write, False),
        (kept, rates.cache_write_long, False),
        (usage.output_tokens, rates.output, True),
    ]
    total = 0.0
    for tokens, rate, needed in parts:
        if tokens is None and (needed or rate is not None):
            return None
        if tokens and rate is None:
            return None
        total += (tokens or 0) * (rate or 0.0)
    return total / 1e6


def _spellings(model: str) -> Iterator[str]:
    """Names under which a model may stand in the table, the closest first.

    >>> list(_spellings("anthropic/claude-sonnet-4-5-20250929"))[-1]
    'claude-sonnet-4-5'
    >>> list(_spellings("openrouter/anthropic/claude-sonnet-4.5"))[-1]
    'claude-sonnet-4-5'
    """
    name = model.strip().lower()
    yield name
    name = name.rpartition("/")[2]
    yield name
    name = name.removesuffix("[1m]")  # Claude Code's mark of a long context
    name = DATED.sub("", name)
    yield name
    if name.startswith("claude-"):
        yield name.replace(".", "-")
