"""What a user who runs the agent k times can rely on: pass^k and pass@k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.cautions import group_labels
from agenteval.comparison.cells import Cells, cells_of
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import listed, percent_interval
from agenteval.stats import pass_at_k, pass_hat_k, wilson_cluster_interval

NOTHING_COUNTS = "No trial counts: every one was skipped, or the machinery failed."
DTYPES: dict[str, str] = {
    "k": "int64", "tasks": "int64", "tasks_dropped": "int64",
    "pass_hat_k": "float64", "low": "float64", "high": "float64",
    "pass_at_k": "float64", "pass_at_k_low": "float64", "pass_at_k_high": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Reliability(Result):
    """The table of `reliability`.

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
        heads = [*self.by, "k", "pass^k", "pass@k", "tasks"]
        rows = [
            [
                *(str(row[name]) for name in self.by),
                str(row["k"]),
                percent_interval(row["pass_hat_k"], row["low"], row["high"]),
                percent_interval(row["pass_at_k"], row["pass_at_k_low"], row["pass_at_k_high"]),
                str(row["tasks"]),
            ]
            for row in self.table.to_dict("records")
        ]
        title = f"Reliability over repeats, {100 * self.level:g} % intervals"
        return Sheet(title, heads, rows, len(self.by))


def reliability(trials: TrialsLike, *, by: By = "arm", level: float = 0.95) -> Reliability:
    """Chance that all of k tries solve a task, and that at least one does, for every k there is.

    pass^1 = pass@1 is the pass rate. The faster pass^k falls, the less an agent that solved a task
    once can be relied upon to solve it again. The independent unit is the task.

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
    Reliability
        `.table` has one row for each group and each k from 1 to the group's largest number of
        counted trials of a task: `tasks` with at least k counted trials, `tasks_dropped` with fewer
        (never clipped), `pass_hat_k` with `low`, `high`, and `pass_at_k` with its own limits
        (Wilson at the effective number of trials over task values; near saturation, as pass@3 at a
        mean of .978, a nominal 95 % covers 90 %). Without rows, and with a note, when no trial
        counts.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        Without any row.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": "a", "task_id": [1, 1, 2, 2], "passed": [True, True, True, False]})
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> reliability(trials).table[["arm", "k", "tasks", "pass_hat_k", "pass_at_k"]]
      arm  k  tasks  pass_hat_k  pass_at_k
    0   a  1      2        0.75       0.75
    1   a  2      2        0.50       1.00
    """
    table = read_trials(trials, by=by)
    cells = cells_of(table)
    rows = list(_rows(table, cells, level))
    found = pd.DataFrame([row for _, row in rows], columns=list(DTYPES)).astype(DTYPES)
    groups = table.groups.iloc[[group for group, _ in rows]].reset_index(drop=True)
    return Reliability(
        table=pd.concat([groups, found], axis=1),
        notes=(*table.said, *(_dropped(table, cells) if rows else (NOTHING_COUNTS,))),
        by=table.by,
        level=level,
    )


def _rows(
    table: TrialTable, cells: Cells, level: float
) -> Iterator[tuple[int, dict[str, float | int]]]:
    for group, part in enumerate(cells.each_group(len(table.groups))):
        graded = cells.counted[part] > 0
        n, c = cells.counted[part][graded], cells.passes[part][graded]
        for k in range(1, int(n.max(initial=0)) + 1):
            kept = n >= k
            every = wilson_cluster_interval(values=pass_hat_k(n[kept], c[kept], k), level=level)
            once = wilson_cluster_interval(values=pass_at_k(n[kept], c[kept], k), level=level)
            if k == 1:
                every = once = wilson_cluster_interval(c, n, level=level)
            yield (
                group,
                {
                    "k": k,
                    "tasks": int(kept.sum()),
                    "tasks_dropped": int((~kept).sum()),
                    "pass_hat_k": every.estimate,
                    "low": every.low,
                    "high": every.high,
                    "pass_at_k": once.estimate,
                    "pass_at_k_low": once.low,
                    "pass_at_k_high": once.high,
                },
            )


def _dropped(table: TrialTable, cells: Cells) -> Iterator[str]:
    labels, uneven = group_labels(table), []
    for group, part in enumerate(cells.each_group(len(labels))):
        n = cells.counted[part][cells.counted[part] > 0]
        if len(n) and np.ptp(n):
            uneven.append(f"{labels[group]} {n.min()} to {n.max()}")
    if uneven:
        yield (
            f"Counted trials a task are unequal ({listed(uneven)}): larger k keep fewer tasks, so "
            "their values are not of the same tasks."
        )
