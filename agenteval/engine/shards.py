"""`--shard i/n`: one part of a plan, so that several machines can share it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agenteval.engine.plan import Plan
from agenteval.engine.spec import TrialSpec
from agenteval.errors import InvalidInput


@dataclass(frozen=True)
class Shard:
    """The `index`-th of `count` parts (from 1): every `count`-th trial of the plan's order.

    The parts are disjoint, cover the plan, differ by at most one trial in size, and each has
    trials of every repeat, so that a part that is missing leaves the rest balanced.
    """

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `i/n`.

        Raises
        ------
        InvalidInput
            When it is something else.

        Examples
        --------
        >>> Shard.parse("2/3")
        Shard(index=2, count=3)
        """
        found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text.strip())
        shard = None if found is None else cls(int(found[1]), int(found[2]))
        if shard is None or not 1 <= shard.index <= shard.count:
            raise InvalidInput(
                f"{text!r} is no part of a plan",
                "--shard",
                "give i/n with 1 <= i <= n, as in --shard 2/5",
            )
        return shard

    def of(self, plan: Plan, trials: Sequence[TrialSpec]) -> list[TrialSpec]:
        """The trials among `trials` that belong to this part."""
        own = {spec.trial_id for spec in plan.trials()[self.index - 1 :: self.count]}
        return [spec for spec in trials if spec.trial_id in own]

    def size(self, planned: int) -> int:
        """Trials of this part, of so many in the plan."""
        return len(range(self.index - 1, planned, self.count))
