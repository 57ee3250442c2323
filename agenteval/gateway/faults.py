"""Faults planted on purpose: which request of a trial has which."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from agenteval.records import FaultKind, Faults

GARBAGE = b"<html><body>This page is no answer of a model.</body></html>"


@dataclass
class FaultPlan:
    """Draws faults for the requests of one trial.

    Parameters
    ----------
    faults
        Kinds and rates, as the variant gives them.
    seed
        Seed of the trial.

    Examples
    --------
    >>> plan = FaultPlan(Faults.model_validate({"500": 1.0, "at_most": 2}), seed=7)
    >>> [plan.draw(number) for number in (1, 2, 3)]
    ['500', '500', None]
    >>> plan.planted
    {'500': 2}
    """

    faults: Faults
    seed: int = 0
    _planted: Counter[str] = field(default_factory=Counter)

    @property
    def planted(self) -> dict[str, int]:
        """How often each kind was planted."""
        return dict(self._planted)

    def draw(self, number: int) -> FaultKind | None:
        """The fault of a request, by its number in the trial (from 1); it counts as planted."""
        faults = self.faults
        if faults.at_most is not None and self._planted.total() >= faults.at_most:
            return None
        rest = random.Random(f"{faults.seed}/{self.seed}/{number}").random()
        for kind, rate in faults.rates():
            if rest < rate:
                self._planted[kind] += 1
                return kind
            rest -= rate
        return None
