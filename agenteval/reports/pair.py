"""Which two arms a report compares."""

from __future__ import annotations

import pandas as pd

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.reports.arms import contenders


def pair_of(trials: pd.DataFrame, baseline: str = "", candidate: str = "") -> tuple[str, str]:
    """Return the baseline and the candidate: as named, else the first arms that compete, in order.

    Parameters
    ----------
    trials
        A trial table.
    baseline, candidate
        Arms; empty chooses.

    Raises
    ------
    InvalidInput
        For an arm that is not there, or one compared with itself.
    NotEnoughData
        When there are not two arms.
    """
    arms = list(dict.fromkeys(trials["arm"].tolist()))
    for name in filter(None, (baseline, candidate)):
        if name not in arms:
            fix = f"use two of {', '.join(sorted(arms))}"
            raise InvalidInput(f"The trials have no arm {name!r}", "the arms to compare", fix)
    if baseline and baseline == candidate:
        fix = "name two different arms"
        raise InvalidInput("An arm cannot be compared with itself", f"arm {baseline}", fix)
    rivals = list(dict.fromkeys([*sorted(contenders(trials)["arm"].unique()), *sorted(arms)]))
    first = baseline or next((arm for arm in rivals if arm != candidate), "")
    second = candidate or next((arm for arm in rivals if arm != first), "")
    if not (first and second):
        fix = "choose a run with two arms"
        raise NotEnoughData(f"there are {len(arms)} arms to compare", "the trials", fix)
    return first, second
