"""Tasks gained and lost as a result of its own: a table, a picture, a short repr."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agenteval.comparison.head_to_head import head_to_head
from agenteval.comparison.head_to_head_result import HeadToHead
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialsLike
from agenteval.comparison.wording import count_of


@dataclass(frozen=True, kw_only=True, eq=False)
class Flips(Result):
    """The table of `flips`.

    Attributes
    ----------
    comparison
        The head-to-head it belongs to.
    """

    comparison: HeadToHead

    def sheet(self) -> Sheet:
        """Choose and format the tasks that moved."""
        moved = self.table[self.table["direction"] != "same"].to_dict("records")
        rows = [
            [str(row["candidate"]), str(row["task_id"]), row["direction"], row["evidence"]]
            for row in moved
        ]
        counts = self.table["direction"].value_counts()
        lost, gained = (int(counts.get(name, 0)) for name in ("lost", "gained"))
        same = count_of(int(counts.get("same", 0)), "task")
        title = f"Flips: {lost} lost, {gained} gained, {same} the same"
        return Sheet(title, ["candidate", "task", "", "evidence"], rows, 4)


def flips(
    trials: TrialsLike | HeadToHead, *, baseline: Any = None, candidate: Any = None, by: str = "arm"
) -> Flips:
    """List the tasks a candidate gained and lost, with what each of them shows by itself.

    The difference of the arms is the sum of these; a single task with a few repeats hardly ever
    shows anything alone, which is what `evidence` says.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`, or a finished `head_to_head`.
    baseline, candidate, by
        As for `head_to_head`.

    Returns
    -------
    Flips
        `.table` is `head_to_head(...).flips`, losses first: `direction` (`lost`, `gained`, `same`),
        rates and counts of both sides, `probability` that the change has this sign (posterior,
        uniform priors), Fisher's `pvalue` and `pvalue_adjusted` over tasks (Benjamini-Hochberg, the
        false discovery rate), `baseline_trial` and `candidate_trial` to look at, `evidence`.

    Raises
    ------
    InvalidInput, NotEnoughData
        As for `head_to_head`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("base", "x", True), ("v2", "x", False), ("base", "y", False), ("v2", "y", False)]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> flips(trials, baseline="base").table[["task_id", "direction"]]
      task_id direction
    0       x      lost
    1       y      same
    """
    found = trials
    if not isinstance(found, HeadToHead):
        found = head_to_head(found, baseline=baseline, candidate=candidate, by=by)
    return Flips(table=found.flips, notes=found.notes, comparison=found)
