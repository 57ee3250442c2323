"""Faults that a variant plants between an agent and its model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import ConfigDict, Field, model_validator

from agenteval.records.strict import Strict

FaultKind = Literal["429", "500", "529", "hang", "reset", "cut", "garbage", "slow"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


class Faults(Strict):
    """`faults` of a variant: the share of an agent's requests that each kind befalls.

    Which requests they are follows from the seeds and the request's number in its trial alone.

    Examples
    --------
    >>> dict(Faults.model_validate({"429": 0.2, "hang": 0.01}).rates())
    {'429': 0.2, 'hang': 0.01}
    """

    model_config = ConfigDict(populate_by_name=True)

    rate_limited: float = Field(
        0, ge=0, le=1, alias="429", description="Answered with 429 and Retry-After."
    )
    server_error: float = Field(0, ge=0, le=1, alias="500", description="Answered with 500.")
    overloaded: float = Field(0, ge=0, le=1, alias="529", description="Answered with 529.")
    hang: float = Field(0, ge=0, le=1, description="Never answered.")
    reset: float = Field(0, ge=0, le=1, description="Connection reset without an answer.")
    cut: float = Field(0, ge=0, le=1, description="Cut off in the middle of the answer.")
    garbage: float = Field(0, ge=0, le=1, description="Answered with a page that is no answer.")
    slow: float = Field(0, ge=0, le=1, description="Answered `slow_s` late.")
    slow_s: float = Field(5.0, ge=0, description="Seconds by which a slow answer is late.")
    retry_after_s: float = Field(1.0, ge=0, description="Retry-After of a planted 429, in seconds.")
    at_most: int | None = Field(None, ge=0, description="Faults planted in one trial, at most.")
    seed: int = Field(0, description="Another seed, other requests.")

    @model_validator(mode="after")
    def _no_more_than_all(self) -> Faults:
        total = sum(rate for _, rate in self.rates())
        if total > 1 + 1e-9:
            raise ValueError(f"has rates that add up to {total:g}; one request has one fault")
        return self

    def rates(self) -> Iterator[tuple[FaultKind, float]]:
        """Kinds with a rate above zero."""
        named = {"429": "rate_limited", "500": "server_error", "529": "overloaded"}
        for kind in FAULT_KINDS:
            rate = getattr(self, named.get(kind, kind))
            if rate:
                yield kind, rate
