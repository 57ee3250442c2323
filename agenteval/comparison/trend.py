"""An arm over time: its rate in every run or period, and what changed from one to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from agenteval.comparison.cells import Cells, cells_of
from agenteval.comparison.pairing import pair_groups
from agenteval.comparison.printing import Sheet
from agenteval.comparison.rate_interval import rate_interval
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, TrialTable, as_frame, read_trials
from agenteval.comparison.wording import (
    UNKNOWN,
    count_of,
    known,
    label_of,
    listed,
    percent_interval,
    points,
    size_of,
)
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import newcombe_cluster_difference

Period = Literal["run", "day", "week", "month"]
FREQUENCIES = {"day": "D", "week": "W-SUN", "month": "M"}
DTYPES: dict[str, str] = {
    "runs": "int64", "tasks": "int64", "trials": "int64", "left_out": "int64",
    "rate": "float64", "low": "float64", "high": "float64",
    "change": "float64", "change_low": "float64", "change_high": "float64",
    "change_pvalue": "float64", "change_tasks": "Int64", "tasks_changed": "Int64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Trend(Result):
    """The table of `trend`.

    Attributes
    ----------
    by
        Grouping columns.
    per
        What makes a point: `run`, `day`, `week` or `month`.
    level
        Level of the intervals.
    """

    by: tuple[str, ...]
    per: str
    level: float

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = [*self.by, self.per, "started", f"pass rate [{100 * self.level:g} %]"]
        heads += ["n", "left out", "change on common tasks", "common tasks"]
        rows = [_texts(row, self.by) for row in self.table.to_dict("records")]
        return Sheet(f"Trend by {self.per}", heads, rows, len(self.by) + 1).without(UNKNOWN)


def _texts(row: dict[str, Any], by: tuple[str, ...]) -> list[str]:
    change = UNKNOWN
    if known(row["change"]):
        limits = [points(row[name], signed=False) for name in ("change_low", "change_high")]
        change = f"{points(row['change'])} [{limits[0]}, {limits[1]}]"
    return [
        *(str(row[name]) if known(row[name]) else "unknown" for name in by),
        str(row["period"]),
        UNKNOWN if pd.isna(row["started_at"]) else f"{row['started_at']:%Y-%m-%d}",
        percent_interval(row["rate"], row["low"], row["high"]),
        size_of(row["tasks"], row["trials"]),
        str(row["left_out"]),
        change,
        str(row["change_tasks"]) if known(row["change_tasks"]) else UNKNOWN,
    ]


def trend(trials: TrialsLike, *, by: By = "arm", per: Period = "run", level: float = 0.95) -> Trend:
    """Pass rate of every arm in every run or period, and the change since the one before.

    Rates of periods with other tasks answer other questions, so the change is taken on the tasks
    both periods share, unchanged. The independent unit is the task.

    Parameters
    ----------
    trials
        A trial table or a store with `run_id`, and `started_at` unless `per` is `run`.
    by
        Column or columns that make the lines.
    per
        What makes a point: each run, or the runs of each day, week (Monday to Sunday) or month (UTC).
    level
        Level of the intervals, in (0, 1).

    Returns
    -------
    Trend
        `.table` has one row a group and period, in order of time: `period`, `started_at` (first
        trial; missing when unknown), `runs`, `tasks`, `trials`, `left_out`, `rate` with `low`,
        `high`; `change` since the group's period before with `change_low`, `change_high`,
        `change_pvalue` (sign-flip mid-p, not adjusted) on `change_tasks` common tasks, and
        `tasks_changed` tasks of both that are not the same any more.

    Raises
    ------
    InvalidInput
        For a missing column or an unknown `per`.
    NotEnoughData
        Without any row, or without a known start for `per` other than `run`.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": "a", "run_id": ["r1", "r1", "r2", "r2"], "task_id": list("xyxy")})
    >>> trials = trials.assign(passed=[False, True, True, True], status=["fail", "pass", "pass", "pass"])
    >>> trend(trials).table[["arm", "period", "rate", "change"]]
      arm period  rate  change
    0   a     r1   0.5     NaN
    1   a     r2   1.0     0.5
    """
    frame = as_frame(trials)
    names = (by,) if isinstance(by, str) else tuple(by)
    frame = frame.assign(period=_periods(frame, per))
    unknown = int(frame["period"].isna().sum())
    frame = frame[frame["period"].notna()]
    if frame.empty:
        fix = 'take per="run", which needs no time'
        raise NotEnoughData("no trial has a known start", "column started_at", fix)
    table = read_trials(frame, by=[*names, "period"])
    cells = cells_of(table)
    rows = [_row(table, cells, group, level) for group in range(len(table.groups))]
    found = pd.concat([table.groups, pd.DataFrame(rows)], axis=1)
    found["line"] = found.groupby(list(names), dropna=False, sort=True).ngroup()
    found["group"] = np.arange(len(found))
    found = found.sort_values(["line", "started_at", "period"], kind="stable", na_position="first")
    changes = list(_changes(table, cells, found, level))
    found = pd.concat([found.reset_index(drop=True), pd.DataFrame(changes)], axis=1)
    found = found[[*names, "period", "started_at", *DTYPES]].astype(DTYPES)
    return Trend(
        table=found,
        notes=(*table.said, *_notes(found, names, unknown)),
        by=names,
        per=per,
        level=level,
    )


def _periods(frame: pd.DataFrame, per: str) -> pd.Series:
    need = "run_id" if per == "run" else "started_at"
    if per != "run" and per not in FREQUENCIES:
        raise InvalidInput(f"per is {per!r}", "argument per", "choose run, day, week or month")
    if need not in frame.columns:
        what = f"the trial table has no column {need!r}"
        raise InvalidInput(what, "argument trials", "pass the columns of store.trials()")
    if per == "run":
        return frame["run_id"].astype("str")
    started = pd.to_datetime(frame["started_at"], utc=True).dt.tz_localize(None)
    periods = started.dt.to_period(FREQUENCIES[per])
    pattern = "%Y-%m" if per == "month" else "%Y-%m-%d"
    return periods.dt.start_time.dt.strftime(pattern).astype("str")


def _row(table: TrialTable, cells: Cells, group: int, level: float) -> dict[str, Any]:
    part = table.keep(table.group == group)
    cell = cells.of(group)
    graded = cells.counted[cell] > 0
    c, n = cells.passes[cell][graded], cells.counted[cell][graded]
    started = pd.to_datetime(part.column("started_at"), utc=True)
    row: dict[str, Any] = {
        "started_at": started.min(),
        "runs": part.words("run_id").nunique(),
        "tasks": len(n),
        "trials": int(n.sum()),
        "left_out": int(cells.left_out[cell].sum()),
        "rate": float("nan"),
        "low": 0.0,
        "high": 1.0,
    }
    if len(n):
        where = label_of(table.groups.iloc[group])
        found = rate_interval(c, n, level=level, over="tasks", method="wilson_cluster", where=where)
        row |= {"rate": found.estimate, "low": found.low, "high": found.high}
    return row


def _changes(
    table: TrialTable, cells: Cells, rows: pd.DataFrame, level: float
) -> Iterator[dict[str, Any]]:
    nothing: dict[str, Any] = dict.fromkeys(
        ("change", "change_low", "change_high", "change_pvalue")
    )
    nothing |= {"change_tasks": None, "tasks_changed": None}
    before_line = before_group = -1
    for line, group in zip(rows["line"].tolist(), rows["group"].tolist(), strict=True):
        change = dict(nothing)
        if line == before_line:
            pair = pair_groups(table, cells, before_group, group)
            change |= {"change_tasks": len(pair.task), "tasks_changed": len(pair.changed)}
            if len(pair.task):
                found = newcombe_cluster_difference(
                    pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b, level=level
                )
                change |= {"change": found.estimate, "change_pvalue": found.pvalue}
                change |= {"change_low": found.low, "change_high": found.high}
        yield change
        before_line, before_group = line, group


def _notes(found: pd.DataFrame, names: tuple[str, ...], unknown: int) -> Iterator[str]:
    if unknown:
        yield f"{count_of(unknown, 'trial')} without a known period left out."
    lines = found.groupby(list(names), dropna=False)["tasks"].nunique()
    uneven = lines[lines > 1].index.tolist()
    if uneven:
        labels = [
            label_of(np.atleast_1d(np.asarray(name, dtype=object)).tolist()) for name in uneven
        ]
        yield (
            f"The number of graded tasks is not the same in every period ({listed(labels)}): read the "
            "change on common tasks, not the rates."
        )
