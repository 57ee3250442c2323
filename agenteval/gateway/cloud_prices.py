"""What models cost where a cloud sells them: the list price, with a premium for a region, or unknown.

Anthropic, Amazon and Google: from Claude 4.5 on, an endpoint that keeps a request within a region
costs a tenth more than the global one. Gemini costs the same on Vertex as in Google's own API.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agenteval.gateway.price_file import LongRates, ModelPrice, Rates

PREMIUM = 1.1
NO_PREMIUM = frozenset(
    {"claude-opus-4-1", "claude-opus-4", "claude-sonnet-4", "claude-3-7-sonnet", "claude-3-5-haiku"}
)
# a long context still costs more there; Anthropic itself has given that up
LONG = frozenset({"claude-sonnet-4", "claude-sonnet-4-5"})
LONG_FROM, LONG_INPUT, LONG_OUTPUT = 200_000, 2.0, 1.5
BEDROCK = re.compile(
    r"^(?:bedrock/(?:converse/|invoke/)?)?(?:(global|us|eu|apac|jp|au)\.)?anthropic\.(claude-.+?)(?:-\d{8})?(?:-v\d+(?::\d+)?)?$"
)
VERTEX = re.compile(
    r"^vertex(?:_ai)?/(?:(global|us|eu|[a-z]+-[a-z]+\d+)/)?(.+?)(?:@(?:\d{8}|default))?$"
)
CLOUDS = ("bedrock/", "vertex/", "vertex_ai/")
REGIONAL_NAME = re.compile(r"^(?:[^/]+/)?[a-z-]+\.anthropic\.")
# a location of Vertex, below a name that somebody gave to it
LOCATED = re.compile(r"^[^/]+/(?:global|us|eu|[a-z]+-[a-z]+\d+)/(?:claude|gemini)-")
# litellm's words for who sells models at the prices of those who made them
MAKERS = frozenset({"anthropic", "openai", "gemini"})


def is_of_cloud(name: str) -> bool:
    """Whether a model's name, in small letters, is one of a cloud's.

    >>> is_of_cloud("us.anthropic.claude-sonnet-4-5"), is_of_cloud("anthropic/claude-sonnet-4-5")
    (True, False)
    """
    return (
        name.startswith((*CLOUDS, "anthropic."))
        or REGIONAL_NAME.match(name) is not None
        or LOCATED.match(name) is not None
    )


def sold_as(seller: str, *names: str) -> list[str]:
    """Names to find a price by at whoever litellm asks, whatever an upstream is called here.

    Parameters
    ----------
    seller
        Provider in litellm's words: `bedrock`, `vertex_ai`.
    names
        The model's, as the cloud spells it: the one that answered, and the trial's.

    >>> sold_as("vertex_ai", "claude-x", "us-east5/claude-x@1")
    ['vertex/claude-x', 'vertex/us-east5/claude-x@1']
    """
    cloud = {"vertex_ai": "vertex"}.get(seller, seller)
    if f"{cloud}/" in CLOUDS or seller in MAKERS:
        return [f"{cloud}/{name}" for name in names]
    return []


def cloud_price(name: str, models: Mapping[str, ModelPrice]) -> ModelPrice | None:
    """Price of a model at a cloud; None where the name does not say enough to know it.

    Parameters
    ----------
    name
        In small letters: `bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0`,
        `vertex/global/claude-sonnet-4-5@20250929`, `vertex/gemini-2.5-pro`.
    models
        List prices by model.
    """
    vertex, bedrock = VERTEX.match(name), BEDROCK.match(name)
    found = vertex or bedrock
    price = None if found is None else models.get(found[2])
    if found is None or price is None:
        return None
    where, model = found[1], found[2]
    if model.startswith("gemini-"):
        return price
    if vertex and (where is None or model in NO_PREMIUM):
        return None  # it depends on a setting; the older ones are sold there at other prices
    premium = where not in (None, "global") and model not in NO_PREMIUM
    return _scaled(price, PREMIUM if premium else 1.0, long=model in LONG)


def _scaled(price: ModelPrice, factor: float, *, long: bool) -> ModelPrice:
    if factor == 1.0 and not long:
        return price
    above = price.above and LongRates(
        input_tokens=price.above.input_tokens, **_rates(price.above, factor, factor)
    )
    if long:
        dearer = _rates(price, factor * LONG_INPUT, factor * LONG_OUTPUT)
        above = LongRates(input_tokens=LONG_FROM, **dearer)
    return ModelPrice(provider=price.provider, above=above, **_rates(price, factor, factor))


def _rates(rates: Rates, given: float, made: float) -> dict[str, Any]:
    """Rates times a factor for all that is given, and another for what is made."""
    every = {name: getattr(rates, name) for name in Rates.model_fields}
    return {
        name: None if rate is None else rate * (made if name == "output" else given)
        for name, rate in every.items()
    }
