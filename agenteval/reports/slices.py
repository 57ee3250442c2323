"""Tables that cut a run another way: over repeats, by category, against a baseline run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from agenteval.comparison import Reliability, against, scoreboard
from agenteval.comparison.reliability import NOTHING_COUNTS
from agenteval.comparison.verdict import pair_size
from agenteval.comparison.wording import UNKNOWN, percent, percent_interval, points
from agenteval.errors import NotEnoughData
from agenteval.reports.headline import not_comparable
from agenteval.reports.section import Section

_MOST_ARM_COLUMNS = 5
_NO_BASELINE = (
    "No baseline run was named. With one, every arm and task that got worse or better stands here."
)


def powers(reliability: Reliability) -> Section:
    """Lay pass^k out with one row an arm and one column a k.

    Parameters
    ----------
    reliability
        Result of `agenteval.comparison.reliability`.
    """
    if reliability.table.empty:
        return Section(table=reliability.table, empty=" ".join(reliability.notes))
    by, table = list(reliability.by), _best_first(reliability.table)
    ks = sorted(table["k"].unique().tolist())
    rows = []
    for names, part in table.groupby(by, sort=False, dropna=False):
        cells = {
            row["k"]: percent_interval(row["pass_hat_k"], row["low"], row["high"])
            for row in part.to_dict("records")
        }
        tasks = part["tasks"].tolist()
        kept = str(tasks[0]) if min(tasks) == max(tasks) else f"{max(tasks)} to {min(tasks)}"
        rows.append([*map(str, names), *(cells.get(k, UNKNOWN) for k in ks), kept])
    title = f"Chance that k tries at a task all pass [{100 * reliability.level:g} %]"
    heads = [*by, *(f"pass^{k}" for k in ks), "tasks"]
    return Section(
        table=table, notes=reliability.notes, title=title, heads=heads, rows=rows, labels=len(by)
    )


def by_category(trials: pd.DataFrame, *, level: float = 0.95) -> Section:
    """Give the pass rate of every arm in every category of task, or difficulty where there is none.

    Parameters
    ----------
    trials
        A trial table.
    level
        Level of the intervals.
    """
    kinds = [
        name for name in ("category", "difficulty") if name in trials and trials[name].notna().any()
    ]
    if not kinds:
        return Section(
            table=pd.DataFrame(), empty="These tasks have neither categories nor difficulties."
        )
    if trials["passed"].isna().all():
        return Section(table=pd.DataFrame(), empty=NOTHING_COUNTS)
    kind, rate = kinds[0], f"[{100 * level:g} %]"
    table = scoreboard(trials, by=[kind, "arm"], level=level).table
    arms = scoreboard(trials, level=level).table["arm"].tolist()
    if len(arms) <= _MOST_ARM_COLUMNS:
        rows = [_kind_row(name, part, arms) for name, part in table.groupby(kind, dropna=False)]
        heads = [kind, "tasks", *arms]
        return Section(table=table, title=f"Pass rate by {kind} {rate}", heads=heads, rows=rows)
    rows = [
        [_word(row[kind]), str(row["arm"]), str(row["tasks"]), _rate(row)]
        for row in table.to_dict("records")
    ]
    heads = [kind, "arm", "tasks", f"pass rate {rate}"]
    return Section(table=table, title=f"Pass rate by {kind}", heads=heads, rows=rows, labels=2)


def arm_changes(
    trials: pd.DataFrame, baseline: pd.DataFrame | None, *, level: float = 0.95
) -> Section:
    """Say for every arm whether it changed since a baseline run, paired on tasks.

    Parameters
    ----------
    trials, baseline
        Trial tables of the run and of the baseline run; None when there is none.
    level
        Level of the intervals.

    Returns
    -------
    Section
        Empty, with the reason, when there is no baseline or no arm has a task graded in both.
    """
    if baseline is None:
        return Section(table=pd.DataFrame(), empty=_NO_BASELINE)
    try:
        change = against(trials, baseline, level=level)
    except NotEnoughData as error:
        return Section(table=pd.DataFrame(), empty=not_comparable(error))
    heads = ["arm", "before", "now", f"points [{100 * level:g} %]", "verdict", "n"]
    rows = [
        [
            str(row["arm"]), percent(row["rate_baseline"]), percent(row["rate_candidate"]),
            f"{points(row['difference'])} [{points(row['low'], signed=False)}, {points(row['high'], signed=False)}]",
            str(row["verdict"]), pair_size(row),
        ]
        for row in change.arms.to_dict("records")
    ]  # fmt: skip
    return Section(
        table=change.arms,
        notes=change.notes,
        title="Arms since the baseline run",
        heads=heads,
        rows=rows,
    )


def task_changes(trials: pd.DataFrame, baseline: pd.DataFrame | None) -> Section:
    """List every task of every arm that got worse or better since a baseline run.

    Parameters
    ----------
    trials, baseline
        Trial tables of the run and of the baseline run; None when there is none.

    Returns
    -------
    Section
        Empty when there is no baseline or no arm has a task graded in both.
    """
    if baseline is None:
        return Section(table=pd.DataFrame(), empty="")
    try:
        change = against(trials, baseline)
    except NotEnoughData:
        return Section(table=pd.DataFrame(), empty="")
    moved = change.table[change.table["direction"] != "same"]
    rows = [
        [
            str(row["task_id"]), str(row["arm"]), str(row["direction"]),
            f"{row['passes_before']} of {row['trials_before']}", f"{row['passes_after']} of {row['trials_after']}",
            points(row["difference"]),
        ]
        for row in moved.to_dict("records")
    ]  # fmt: skip
    same = len(change.table) - len(moved)
    title = (
        f"Tasks since the baseline run, counted by arm: {len(change.regressed)} regressed, "
        f"{len(change.improved)} improved, {same} the same"
    )
    pairs = (
        f"all {same} pairs of task and arm are" if same != 1 else "the one pair of task and arm is"
    )
    return Section(
        table=moved, title=title, heads=["task", "arm", "direction", "passed before", "passed now", "points"], rows=rows,
        labels=3, empty=f"No task moved: {pairs} the same as in the baseline run.",
    )  # fmt: skip


def _best_first(table: pd.DataFrame) -> pd.DataFrame:
    once = table["pass_hat_k"].where(table["k"] == 1)
    names = table.columns[: table.columns.get_loc("k")].tolist()
    first = once.groupby([table[name] for name in names], dropna=False).transform("max")
    return table.iloc[first.sort_values(ascending=False, kind="stable").index]


def _kind_row(kind: Any, part: pd.DataFrame, arms: Sequence[str]) -> list[str]:
    rows = {row["arm"]: row for row in part.to_dict("records")}
    return [
        _word(kind),
        str(part["tasks"].max()),
        *(_rate(rows[arm]) if arm in rows else UNKNOWN for arm in arms),
    ]


def _rate(row: dict[str, Any]) -> str:
    return percent_interval(row["rate"], row["low"], row["high"])


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "unknown"
