"""A trial table counted by another policy, for the whole of a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.policies import COUNTING, Rows
from agenteval.comparison.trial_table import Floats, TrialsLike, as_frame, read_trials
from agenteval.errors import InvalidInput

DEFAULT = "default"
SOLVED_BY = ("all repeats", "majority", "any repeat")
RECOUNTS = (
    DEFAULT,
    *(name.replace(" = ", " ").replace(" ", "-") for name in (*COUNTING, *SOLVED_BY)),
)
_ONE_A_TASK = ("first repeat", *SOLVED_BY)


def recount(
    trials: TrialsLike, policy: str, *, candidate: Any = None, by: str = "arm"
) -> pd.DataFrame:
    """Return the trials as another policy counts them; every table made from it then follows it.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    policy
        `default`; `errors-left-out` (trials that a limit or a crash ended do not count);
        `left-out-failed`; `left-out-against` and `left-out-in-favour` of the candidate;
        `first-repeat`; `all-repeats`, `majority`, `any-repeat` (one verdict a task: solved when all,
        more than half, or any of its repeats pass).
    candidate
        Side that `left-out-against` and `left-out-in-favour` are about.
    by
        Column that names the sides.

    Returns
    -------
    DataFrame
        The columns of the trials; `passed` and `status` as the policy has them. Where a policy makes
        one verdict a task, the other repeats have no row.

    Raises
    ------
    InvalidInput
        For an unknown policy, or one that needs a candidate or the column `repeat`.

    Examples
    --------
    >>> rows = {"arm": "a", "task_id": list("xxy"), "passed": [True, False, True]}
    >>> trials = pd.DataFrame(rows).assign(status=["pass", "fail", "pass"])
    >>> recount(trials, "all-repeats")[["task_id", "status"]]
      task_id status
    0       x   fail
    2       y   pass
    """
    frame = as_frame(trials)
    if policy not in RECOUNTS:
        what = f"there is no policy {policy!r}"
        raise InvalidInput(what, "argument policy", f"choose one of {', '.join(RECOUNTS)}")
    if policy == DEFAULT:
        return frame
    name = (*COUNTING, *SOLVED_BY)[RECOUNTS.index(policy) - 1]
    _require(frame, name, candidate, by)
    if name in SOLVED_BY:
        return _one_a_task(frame, name, by)
    side = (frame[by] == candidate).to_numpy(bool, na_value=False)
    verdicts = COUNTING[name][1](frame, side)
    if name in _ONE_A_TASK:
        before = frame["passed"].to_numpy(dtype=np.float64, na_value=np.nan)
        surplus = ~np.isnan(before) & np.isnan(verdicts)
        frame, verdicts = frame[~surplus], verdicts[~surplus]
    return with_verdicts(frame, verdicts)


def with_verdicts(frame: pd.DataFrame, verdicts: Floats) -> pd.DataFrame:
    """Return trials with other verdicts (1, 0, NaN) and a status that goes with each."""
    status = np.select(
        [verdicts == 1, (verdicts == 0) & (frame["status"] == "error"), verdicts == 0],
        ["pass", "error", "fail"],
        "skipped",
    )
    return frame.assign(passed=verdicts, status=status)


def _require(frame: pd.DataFrame, name: str, candidate: Any, by: str) -> None:
    if by not in frame.columns:
        what = f"the trial table has no column {by!r}"
        raise InvalidInput(what, "argument by", "name a column that is there")
    if candidate is None and name.startswith("left out ") and "=" not in name:
        what = f"the policy {name!r} favours a side, and none is named"
        raise InvalidInput(what, "argument candidate", "name the candidate")
    if name == "first repeat" and "repeat" not in frame.columns:
        what = "the trial table has no column 'repeat'"
        raise InvalidInput(what, "argument trials", "choose another policy")


def _one_a_task(frame: pd.DataFrame, name: str, by: str) -> pd.DataFrame:
    table = read_trials(frame, by=by)
    cells = cells_of(table)
    n, c = cells.counted, cells.passes
    solved = {"all repeats": c == n, "majority": 2 * c > n, "any repeat": c > 0}[name]
    _, first = np.unique(np.where(table.counted, cells.row, -1), return_index=True)
    first = first[table.counted[first]]
    keep: Rows = ~table.counted
    keep[first] = True
    verdicts = np.where(table.counted, solved[cells.row].astype(float), np.nan)
    return with_verdicts(frame[keep], verdicts[keep])
