"""Which errors ended trials, by arm: those that count as not solved, and those left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.distribution import with_groups
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, read_trials
from agenteval.comparison.wording import known, percent_interval
from agenteval.stats import wilson_cluster_interval

DTYPES: dict[str, str] = {
    "error_class": "str", "counted": "bool", "trials": "int64", "tasks": "int64", "of": "int64",
    "share": "float64", "low": "float64", "high": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorClasses(Result):
    """The table of `error_classes`.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    """

    by: tuple[str, ...]
    level: float

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rows = [
            [
                str(row["error_class"]),
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                "as not solved" if row["counted"] else "left out",
                f"{row['trials']} of {row['of']}",
                str(row["tasks"]),
                percent_interval(row["share"], row["low"], row["high"]),
            ]
            for row in self.table[self.table["trials"] > 0].to_dict("records")
        ]
        heads = ["error", *self.by, "counts", "trials", "tasks", f"share [{100 * self.level:g} %]"]
        return Sheet("Errors", heads, rows, 2 + len(self.by))


def error_classes(trials: TrialsLike, *, by: By = "arm", level: float = 0.95) -> ErrorClasses:
    """Count the errors of each arm by class.

    A class that counts is the agent's (a limit, a crash); one that is left out is the machinery's, or
    somebody's decision. A trial that failed its checks without an error is in neither. The
    independent unit is the task.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.
    level
        Level of the intervals, in (0, 1).

    Returns
    -------
    ErrorClasses
        `.table` has one row a class and group, the most frequent class first: `error_class`,
        `counted` (in the rate as not solved, or left out), `trials` with it on `tasks`, `of` trials
        of the group, counted or not, and `share` of them (mean over tasks) with `low`, `high`. A
        group without the class has a row of 0; without any error the table is empty.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When there are no trials.

    Examples
    --------
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xyz"), "status": ["error", "pass", "error"],
    ...     "passed": [False, True, None], "error_class": ["timeout", None, "setup_failed"]})
    >>> error_classes(trials).table[["error_class", "counted", "trials", "of"]]
        error_class  counted  trials  of
    0  setup_failed    False       1   3
    1       timeout     True       1   3
    """
    table = read_trials(trials, by=by)
    words, counted = table.words("error_class"), table.counted
    size = len(table.tasks)
    kinds = pd.DataFrame({"word": words.to_numpy(dtype=object), "counted": counted})
    often = kinds.dropna(subset=["word"]).value_counts().reset_index()
    often = often.sort_values(["count", "word"], ascending=[False, True], kind="stable")
    rows: list[tuple[int, dict[str, object]]] = []
    for word, is_counted in often[["word", "counted"]].itertuples(index=False, name=None):
        has = (words == word).to_numpy(dtype=bool, na_value=False) & (counted == is_counted)
        for group in range(len(table.groups)):
            mine = table.group == group
            n = np.bincount(table.task[mine], minlength=size)
            hit = np.bincount(table.task[mine & has], minlength=size)
            found = wilson_cluster_interval(hit[n > 0], n[n > 0], level=level)
            row: dict[str, object] = {
                "error_class": word,
                "counted": is_counted,
                "trials": int(hit.sum()),
                "tasks": int((hit > 0).sum()),
                "of": int(n.sum()),
                "share": found.estimate,
                "low": found.low,
                "high": found.high,
            }
            rows.append((group, row))
    return ErrorClasses(
        table=with_groups(table, rows, DTYPES), notes=table.said, by=table.by, level=level
    )
