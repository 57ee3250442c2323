"""When a sequential run may stop: a claim about two arms, and how sure it has to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agenteval.errors import InvalidInput
from agenteval.stats import confidence_sequence
from agenteval.stats.sequential import BURN_IN

Claim = Literal["better than", "worse than", "different from", "not worse than"]
CLAIMS: tuple[Claim, ...] = ("not worse than", "better than", "worse than", "different from")
Method = Literal["betting", "empirical_bernstein", "asymptotic"]
MOST_TASKS = 1_024
EXAMPLE = "write it as in 'v2 better than base', or 'v2 not worse than base by 0.05'"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A claim that a run is to settle.

    Attributes
    ----------
    candidate, baseline
        Arms.
    claim
        What is claimed of the candidate.
    margin
        Share by which it is claimed: `better than ... by 0.05`; for `not worse than` the largest
        loss that would be acceptable, above 0.
    alpha
        Chance that the answer is wrong, however often one looks.
    method
        Confidence sequence: `betting` holds at every number of tasks; `asymptotic` is narrower for
        small differences after a hundred tasks and says nothing before the 20th.
    """

    candidate: str
    baseline: str
    claim: Claim = "better than"
    margin: float = 0.0
    alpha: float = 0.05
    method: Method = "betting"

    def __post_init__(self) -> None:
        """Refuse a rule that no run could settle."""
        if self.candidate == self.baseline:
            what = f"the rule compares {self.candidate!r} with itself"
            raise InvalidInput(what, "the rule", "name two different arms")
        if self.claim not in CLAIMS:
            raise InvalidInput(f"there is no claim {self.claim!r}", "the rule", EXAMPLE)
        if not 0 <= self.margin < 1 or (self.claim == "not worse than" and self.margin == 0):
            fix = "give a share above 0 with `by`, such as `by 0.05` for five points"
            raise InvalidInput(f"the margin is {self.margin:g}", f"rule '{self}'", fix)
        if self.claim == "different from" and self.margin:
            fix = "leave out `by`, or claim `better than` or `worse than`"
            raise InvalidInput("a difference has no margin", f"rule '{self}'", fix)

    @property
    def threshold(self) -> float:
        """Value of candidate - baseline on whose side the answer depends."""
        signs = {"better than": 1, "worse than": -1, "not worse than": -1, "different from": 0}
        return signs[self.claim] * self.margin

    @property
    def fewest_tasks(self) -> int | None:
        """Tasks after which it can be settled at the earliest, if every one went the same way.

        With fewer, no outcome whatever gives an answer; None when even `MOST_TASKS` would not do.

        >>> Rule(candidate="v2", baseline="base").fewest_tasks
        10
        """
        if self.method == "asymptotic":
            return BURN_IN
        for size in (MOST_TASKS // 16, MOST_TASKS):
            looks = [
                confidence_sequence(
                    np.full(size, way), method=self.method, alpha=self.alpha, bounds=(-1.0, 1.0)
                )
                for way in (-1.0, 1.0)
            ]
            settled = [
                any(self.answer(float(look.low[i]), float(look.high[i])) for look in looks)
                for i in range(size)
            ]
            if any(settled):
                return settled.index(True) + 1
        return None

    def answer(self, low: float, high: float) -> Literal["yes", "no"] | None:
        """Say what an interval for candidate - baseline means; None while it cannot tell."""
        above, below = low > self.threshold, high < self.threshold
        if self.claim == "different from":
            return "yes" if above or below else None
        upward = self.claim != "worse than"
        if above:
            return "yes" if upward else "no"
        if below:
            return "no" if upward else "yes"
        return None

    def __str__(self) -> str:
        """Write the rule as it is read."""
        margin = f" by {self.margin:g}" if self.margin else ""
        return f"{self.candidate} {self.claim} {self.baseline}{margin}"


def parse_rule(text: str, *, alpha: float = 0.05, method: Method = "betting") -> Rule:
    """Read a rule such as `v2 better than base` or `v2 not worse than base by 0.05`.

    Parameters
    ----------
    text
        CANDIDATE, one of the claims, BASELINE, and maybe `by` a share.
    alpha, method
        As in `Rule`.

    Raises
    ------
    InvalidInput
        When it is no rule.

    Examples
    --------
    >>> parse_rule("scripted:chance:0.7 not worse than scripted:chance:0.4 by 0.05").margin
    0.05
    """
    claims = "|".join(CLAIMS)
    found = re.fullmatch(rf"\s*(.+?)\s+({claims})\s+(.+?)(?:\s+by\s+([\d.]+))?\s*", text)
    if not found:
        raise InvalidInput(f"{text!r} is no rule to stop by", "the rule", EXAMPLE)
    candidate, claim, baseline, margin = found.groups()
    try:
        share = float(margin or 0)
    except ValueError:
        raise InvalidInput(f"{margin!r} is no share", f"rule {text!r}", EXAMPLE) from None
    return Rule(
        candidate=candidate,
        baseline=baseline,
        claim=claim,  # type: ignore[arg-type]
        margin=share,
        alpha=alpha,
        method=method,
    )
