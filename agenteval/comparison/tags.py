"""What people saw in trials, counted by arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, read_trials
from agenteval.comparison.wording import known, label_of, listed, percent
from agenteval.errors import InvalidInput

DTYPES: dict[str, str] = {
    "text": "str", "tagged": "int64", "tagged_failed": "int64", "tasks": "int64",
    "failed": "int64", "looked_at": "int64", "share_of_failed": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class TagCounts(Result):
    """The table of `tag_counts`.

    Attributes
    ----------
    by
        Grouping columns.
    """

    by: tuple[str, ...]

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = ["tag", *self.by, "trials", "tasks", "of failed trials", "failed", "looked at"]
        rows = [
            [
                str(row["text"]),
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                str(row["tagged"]),
                str(row["tasks"]),
                percent(row["share_of_failed"], digits=0),
                str(row["failed"]),
                str(row["looked_at"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Tags", heads, rows, 1 + len(self.by))


def tag_counts(trials: TrialsLike, tags: pd.DataFrame, *, by: By = "arm") -> TagCounts:
    """Count the tags of trials by arm: why does each arm fail.

    A tag counts once a trial, however many steps carry it. Tags are what somebody looked for: an arm
    whose trials nobody opened has none, so compare shares only where as much was looked at.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`, with `run_id` and `trial_id`.
    tags
        Tags with `run_id`, `trial_id`, `text`: `store.tags()`.
    by
        Column or columns that make the groups.

    Returns
    -------
    TagCounts
        `.table` has one row a group and tag, the most frequent tag first: `text`, `tagged` trials
        and `tasks` with it, `tagged_failed` of them that failed, `failed` trials of the group,
        `looked_at` trials of the group with any tag, `share_of_failed` = tagged_failed / failed (NaN
        without a failed trial).

    Raises
    ------
    InvalidInput
        For a table without the columns needed.
    NotEnoughData
        When there are no trials.

    Examples
    --------
    >>> trials = pd.DataFrame({"arm": ["a", "a", "b"], "task_id": list("xyx"), "run_id": "r",
    ...     "trial_id": ["1", "2", "3"], "status": "fail", "passed": False})
    >>> tags = pd.DataFrame({"run_id": "r", "trial_id": ["1", "3"], "text": "no tests run"})
    >>> tag_counts(trials, tags).table[["text", "arm", "tagged", "share_of_failed"]]
               text arm  tagged  share_of_failed
    0  no tests run   a       1              0.5
    1  no tests run   b       1              1.0
    """
    table = read_trials(trials, by=by)
    for frame, name in ((table.frame, "trials"), (tags, "tags")):
        lacking = sorted({"run_id", "trial_id"} - set(frame.columns))
        if lacking:
            what = f"the table has no column {lacking[0]!r}"
            raise InvalidInput(what, f"argument {name}", "pass store.trials() and store.tags()")
    rows = pd.DataFrame(
        {
            "run_id": table.column("run_id").to_numpy(),
            "trial_id": table.column("trial_id").to_numpy(),
            "group": table.group,
            "task": table.task,
            "failed": table.passed == 0,
        }
    )
    once = tags[["run_id", "trial_id", "text"]].drop_duplicates()
    found = once.merge(rows, on=["run_id", "trial_id"], how="inner")
    counts = found.groupby(["text", "group"]).agg(
        tagged=("failed", "size"), tagged_failed=("failed", "sum"), tasks=("task", "nunique")
    )
    counts = counts.reset_index()
    group = counts["group"].to_numpy(dtype=np.int64)
    failed = np.bincount(table.group[table.passed == 0], minlength=len(table.groups))
    opened = found[["run_id", "trial_id", "group"]].drop_duplicates()["group"]
    looked = np.bincount(opened.to_numpy(dtype=np.int64), minlength=len(table.groups))
    counts["failed"], counts["looked_at"] = failed[group], looked[group]
    share = counts["tagged_failed"] / counts["failed"].where(counts["failed"] > 0)
    counts = counts.assign(share_of_failed=share)
    often = counts.groupby("text")["tagged"].transform("sum").to_numpy()
    counts = counts.iloc[np.lexsort((group, counts["text"].to_numpy(str), -often))]
    keys = table.groups.iloc[counts["group"].to_numpy(dtype=np.int64)].reset_index(drop=True)
    numbers = counts.reset_index(drop=True)[list(DTYPES)].astype(DTYPES)
    numbers = pd.concat([numbers[["text"]], keys, numbers.drop(columns="text")], axis=1)
    unseen = [label_of(row) for row in table.groups[looked == 0].itertuples(index=False, name=None)]
    notes = (f"Nobody tagged a trial of {listed(unseen)}.",) if unseen else ()
    return TagCounts(table=numbers, notes=(*table.said, *notes), by=table.by)
