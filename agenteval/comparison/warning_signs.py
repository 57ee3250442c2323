"""Trials that tampered, took shortcuts or touched protected files, by arm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agenteval.comparison.distribution import with_groups
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import known, percent_interval
from agenteval.stats import wilson_cluster_interval

COUNTS = {"protected_edits": "protected edits", "shortcuts": "shortcuts"}
DTYPES: dict[str, str] = {
    "sign": "str", "kind": "str", "trials": "int64", "tasks": "int64", "passed": "int64",
    "sensed": "int64", "unsensed": "int64", "share": "float64", "low": "float64", "high": "float64",
}  # fmt: skip
Rows = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class WarningSigns(Result):
    """The table of `warning_signs`.

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
                str(row["sign"]),
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                f"{row['trials']} of {row['sensed']}",
                str(row["tasks"]),
                str(row["passed"]),
                percent_interval(row["share"], row["low"], row["high"]),
                str(row["unsensed"]),
            ]
            for row in self.table.to_dict("records")
        ]
        heads = ["sign", *self.by, "trials", "tasks", "of them passed"]
        heads += [f"share [{100 * self.level:g} %]", "not looked at"]
        return Sheet("Tampering and shortcuts", heads, rows, 1 + len(self.by))


def warning_signs(trials: TrialsLike, *, by: By = "arm", level: float = 0.95) -> WarningSigns:
    """Count the trials of each arm that tampered with the grading or took a shortcut.

    A pass that tampered is a reason to open the trial, not proof. Trials where nothing could sense a
    sign are unknown, never clean: they are counted apart. The independent unit is the task.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`; read are `tampering` (names),
        `protected_edits` and `shortcuts` (counts).
    by
        Column or columns that make the groups.
    level
        Level of the intervals, in (0, 1).

    Returns
    -------
    WarningSigns
        `.table` has one row a sign and group, the most frequent sign first: `sign`, `kind`
        (`tampering`, `shortcuts`, `protected edits`), `trials` with it on `tasks`, `passed` of
        them, `sensed` trials where it would have been seen and `unsensed` where not, `share` of
        the sensed (mean over tasks) with `low`, `high` (NaN when nothing was sensed). A sign that no
        trial has is left out, so the table may be empty.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When there are no trials.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xyz"), "status": "pass", "passed": True,
    ...     "tampering": [["tests_edited"], [], None], "shortcuts": [0, 0, 0]})
    >>> warning_signs(trials).table[["sign", "trials", "sensed", "unsensed"]]
               sign  trials  sensed  unsensed
    0  tests_edited       1       2         1
    """
    table = read_trials(trials, by=by)
    signs = sorted(_signs(table), key=_frequency)
    rows: list[tuple[int, dict[str, object]]] = []
    lacking = 0
    for sign, kind, has, sensed in signs:
        for group in range(len(table.groups)):
            mine = table.group == group
            row = _row(table, mine, has, sensed, level)
            rows.append((group, {"sign": sign, "kind": kind, **row}))
            lacking += int((mine & sensed).sum() == 0)
    notes = ("Where nothing could sense a sign it is unknown, not absent.",) if lacking else ()
    return WarningSigns(
        table=with_groups(table, rows, DTYPES),
        notes=(*table.said, *notes),
        by=table.by,
        level=level,
    )


def _signs(table: TrialTable) -> Iterator[tuple[str, str, Rows, Rows]]:
    """Yield each sign that some trial has: name, kind, rows with it, rows where it was sensed."""
    lists = [_names(value) for value in table.column("tampering").tolist()]
    sensed = np.array([names is not None for names in lists], dtype=bool)
    for name in sorted({name for names in lists for name in names or ()}):
        yield name, "tampering", np.array([name in (names or ()) for names in lists]), sensed
    for column, kind in COUNTS.items():
        counts = table.numbers(column)
        if (counts > 0).any():
            yield kind, kind, counts > 0, ~np.isnan(counts)


def _names(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(str(name) for name in value)
    return None


def _frequency(sign: tuple[str, str, Rows, Rows]) -> tuple[bool, int, str]:
    name, kind, has, _ = sign
    return kind != "tampering", -int(has.sum()), name


def _row(table: TrialTable, mine: Rows, has: Rows, sensed: Rows, level: float) -> dict[str, object]:
    size = len(table.tasks)
    n = np.bincount(table.task[mine & sensed], minlength=size)
    hit = np.bincount(table.task[mine & has], minlength=size)
    share = low = high = float("nan")
    if n.any():
        found = wilson_cluster_interval(hit[n > 0], n[n > 0], level=level)
        share, low, high = found.estimate, found.low, found.high
    return {
        "trials": int(hit.sum()),
        "tasks": int((hit > 0).sum()),
        "passed": int((mine & has & (table.passed == 1)).sum()),
        "sensed": int(n.sum()),
        "unsensed": int((mine & ~sensed).sum()),
        "share": share,
        "low": low,
        "high": high,
    }
