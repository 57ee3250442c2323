"""Which arm solves which task: every cell of task x arm."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import UNKNOWN, known, percent, tallies

DTYPES: dict[str, str] = {
    "trials": "int64", "passes": "int64", "rate": "float64", "left_out": "int64",
    "statuses": "str", "category": "str", "difficulty": "str",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskMatrix(Result):
    """The table of `matrix`.

    Attributes
    ----------
    by
        Grouping columns.
    """

    by: tuple[str, ...]

    def wide(self) -> pd.DataFrame:
        """Return the rates with one row a task and one column a group; NaN where nothing counts."""
        wide = self.table.pivot(index=["suite", "task_id"], columns=list(self.by), values="rate")
        order = sorted(wide.index, key=lambda key: (str(key[0]), natural(key[1])))
        return wide.loc[order]

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        wide = self.wide()
        names = [" / ".join(map(str, np.atleast_1d(np.asarray(c, dtype=object)))) for c in wide]
        rows = [
            [str(task), *(percent(rate, digits=0) if known(rate) else UNKNOWN for rate in values)]
            for (_, task), values in zip(wide.index, wide.to_numpy(), strict=True)
        ]
        return Sheet("Pass rate by task and arm", ["task", *names], rows)


def matrix(trials: TrialsLike, *, by: By = "arm") -> TaskMatrix:
    """Every task with every arm: how many of its trials passed.

    A description, not a test: with three repeats a side no single task can show a difference.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.

    Returns
    -------
    TaskMatrix
        `.table` is tidy, one row for each task and group that has a trial: `suite`, `task_id`, the
        columns of `by`, `trials` counted, `passes`, `rate` (NaN when nothing counts), `left_out`,
        `statuses` (every status or error class with its count: `pass 2, timeout 1`), `category`,
        `difficulty`. Sorted by suite, task and group.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        Without any row.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": ["a", "a", "b"], "task_id": "t1", "passed": [True, False, False]})
    >>> trials["status"] = ["pass", "fail", "fail"]
    >>> matrix(trials).table[["task_id", "arm", "trials", "passes", "rate", "statuses"]]
      task_id arm  trials  passes  rate        statuses
    0      t1   a       2       1   0.5  fail 1, pass 1
    1      t1   b       1       0   0.0          fail 1
    """
    table = read_trials(trials, by=by)
    cells = cells_of(table)
    size = len(cells.group)
    rate = np.divide(
        cells.passes, cells.counted, out=np.full(size, np.nan), where=cells.counted > 0
    )
    columns: dict[str, object] = {
        "trials": cells.counted,
        "passes": cells.passes,
        "rate": rate,
        "left_out": cells.left_out,
        "statuses": tallies(cells.row, _kinds(table), size),
    }
    for name in ("category", "difficulty"):
        columns[name] = first_words(table, name)[cells.task]
    found = pd.DataFrame(columns).astype(DTYPES)
    keys = [
        table.tasks.iloc[cells.task].reset_index(drop=True),
        table.groups.iloc[cells.group].reset_index(drop=True),
    ]
    keys[1] = keys[1][[name for name in table.by if name not in ("suite", "task_id")]]
    found = found[[name for name in found if name not in table.by]]
    order = np.lexsort((cells.group, cells.task))
    whole = pd.concat([*keys, found], axis=1).iloc[order].reset_index(drop=True)
    return TaskMatrix(table=whole, notes=table.said, by=table.by)


def natural(name: object) -> list[tuple[int, int, str]]:
    """Return a sort key by which numbers in a name go by their value.

    >>> sorted(["10", "3", "t10", "t9", "0"], key=natural)
    ['0', '3', '10', 't9', 't10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", str(name))
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def first_words(table: TrialTable, name: str) -> np.ndarray:
    """Return, for each task, the smallest known value of a text column; NaN where there is none."""
    words = table.words(name)
    has = words.notna().to_numpy()
    smallest = words[has].groupby(table.task[has]).min()
    return smallest.reindex(range(len(table.tasks))).to_numpy(dtype=object)


def _kinds(table: TrialTable) -> pd.Series:
    """Return what happened in each trial: its error class, else its status."""
    status, error = table.words("status"), table.words("error_class")
    return error.where(error.notna() & status.isin(["error", "skipped"]), status)
