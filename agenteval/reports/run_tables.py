"""The tables of a report that are more than one call: outcomes, effort, left out, failing checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from agenteval.comparison import Scoreboard
from agenteval.comparison.reliability import NOTHING_COUNTS
from agenteval.comparison.wording import (
    UNKNOWN,
    dollars,
    known,
    listed,
    number,
    percent_interval,
    seconds,
    size_of,
)
from agenteval.reports.arms import contenders, control_of
from agenteval.reports.section import Section

_DETAIL_CHARACTERS = 90
_FAILURE = re.compile(r"^(?!\s*#).*?(\bnot ok\b|Error\b|\bassert|\bfail(ed|ure)\b)", re.IGNORECASE)
_ATTEMPT = ["run_id", "trial_id", "attempt"]


def outcomes(board: Scoreboard) -> Section:
    """Tell what became of every trial, per row of a scoreboard.

    Parameters
    ----------
    board
        Result of `scoreboard`.

    Returns
    -------
    Section
        Passed, failed, errors (counted as zero), skipped and otherwise left out, and the band in
        which the rate lies whatever the trials left out would have done.
    """
    table = board.table[[*board.by, "rate", "low", "high", "tasks", "trials", "passes", "fails", "errors", "skipped",
                         "left_out", "left_out_why", "band_low", "band_high"]]  # fmt: skip
    rows = [
        [
            *(str(row[name]) for name in board.by),
            percent_interval(row["rate"], row["low"], row["high"]),
            size_of(row["tasks"], row["trials"]),
            *(str(row[name]) for name in ("passes", "fails", "errors", "skipped")),
            f"{row['left_out']} ({row['left_out_why']})" if row["left_out"] else "0",
            _band(row) if row["left_out"] else UNKNOWN,
        ]
        for row in table.to_dict("records")
    ]
    heads = [
        *board.by,
        f"pass rate [{100 * board.level:g} %]",
        "n",
        "passed",
        "failed",
        "errors",
        "skipped",
        "left out",
        "band",
    ]
    return Section(
        table=table,
        notes=board.notes,
        title="What became of every trial",
        heads=heads,
        rows=rows,
        labels=len(board.by),
    )


def effort(board: Scoreboard, *, runs: Sequence[str] = ()) -> Section:
    """Tell what the trials cost in money, time, turns and tool calls, per row of a scoreboard.

    Parameters
    ----------
    board
        Result of `scoreboard`.
    runs
        Ids of runs in the order in which their rows are shown, for a board by `run_id`.

    Returns
    -------
    Section
        Medians are over the trials that count; columns of which nothing is known are not shown.
        The time is the agent's own, or the whole trial's where that is not known of any arm.
    """
    time = "agent_median_s" if board.table["agent_median_s"].notna().any() else "duration_median_s"
    shown = {
        "cost_median_usd": ("median cost", dollars),
        "cost_total_usd": ("total cost", dollars),
        "cost_per_success_usd": ("cost per success", dollars),
        "cost_source": ("cost is", _word),
        time: ("median time", seconds),
        "turns_median": ("median turns", number),
        "tool_calls_median": ("median tool calls", number),
        "tool_errors": ("tool errors", number),
        "input_tokens": ("input tokens", number),
        "output_tokens": ("output tokens", number),
    }
    table = board.table[[*board.by, *shown]]
    if runs:
        place = {run: at for at, run in enumerate(runs)}
        table = table.sort_values("run_id", key=lambda ids: ids.map(place), kind="stable")
    rows = [
        [
            *(str(row[name]) for name in board.by),
            *(text(row[name]) for name, (_, text) in shown.items()),
        ]
        for row in table.to_dict("records")
    ]
    heads = [*board.by, *(head for head, _ in shown.values())]
    title = "Medians and totals of the trials that count"
    if not board.table["trials"].any():
        return Section(table=table, empty=NOTHING_COUNTS)
    return Section(table=table, title=title, heads=heads, rows=rows, labels=len(board.by))


def left_out(trials: pd.DataFrame) -> Section:
    """List what is not in the rates and why, with a trial of each kind to look at.

    Parameters
    ----------
    trials
        A trial table.
    """
    missing = trials[trials["passed"].isna()].copy()
    missing["error_class"] = missing["error_class"].fillna("unknown")
    found = (
        missing.groupby(["arm", "status", "error_class"], sort=True)
        .agg(
            trials=("task_id", "size"),
            tasks=("task_id", "nunique"),
            example=("trial_id", "first"),
            message=("error_message", "first"),
        )
        .reset_index()
    )
    rows = [
        [
            row["arm"],
            f"{row['status']}: {row['error_class']}",
            str(row["trials"]),
            str(row["tasks"]),
            f"`agenteval show {row['example']}`",
            _short(row["message"]),
        ]
        for row in found.to_dict("records")
    ]
    heads = ["arm", "why", "trials", "tasks", "look at one", "what it said"]
    return Section(
        table=found, title="Left out of the rates", heads=heads, rows=rows, labels=2,
        empty=f"Nothing was left out: {_all_count(len(trials))} in the rates.",
    )  # fmt: skip


def check_failures(checks: pd.DataFrame, trials: pd.DataFrame, *, most: int = 12) -> Section:
    """List the checks that failed most, with a trial of each to look at.

    A trial that does nothing fails every check, so control arms are left out where others ran.

    Parameters
    ----------
    checks
        Check table of the same trials.
    trials
        A trial table.
    most
        Tasks to show, one row each.

    Returns
    -------
    Section
        `.table` has one row a task and check: trials that failed it, trials that were given it,
        which arms, and the first such trial, to be opened with `agenteval show`. Shown is one row
        a task, with the check that failed most.
    """
    wanted = contenders(trials)[[*_ATTEMPT, "suite", "task_id", "arm"]]
    newest = checks.groupby(_ATTEMPT)["grading"].transform("max")
    joined = checks[checks["grading"] == newest].merge(wanted, on=_ATTEMPT)
    joined["failed"] = ~joined["passed"].fillna(False).astype(bool)  # noqa: FBT003 - a value to fill with
    keys = ["suite", "task_id", "name"]
    of = joined.groupby(keys)["trial_id"].size()
    failing = joined[joined["failed"]].sort_values("arm", kind="stable")
    found = failing.groupby(keys).agg(
        failed=("trial_id", "size"), example=("trial_id", "first"), detail=("detail", "first")
    )
    found["of"] = of.reindex(found.index)
    by_arm = failing.groupby([*keys, "arm"], sort=False).size().reset_index(name="times")
    by_arm["arms"] = by_arm["arm"] + " × " + by_arm["times"].astype("str")
    found["arms"] = by_arm.groupby(keys)["arms"].agg(", ".join)
    found = found.reset_index().sort_values(
        ["failed", "suite", "task_id"], ascending=[False, True, True], kind="stable"
    )
    tasks = [part for _, part in found.groupby(["suite", "task_id"], sort=False)]
    more = len(tasks) - most
    return Section(
        table=found.reset_index(drop=True),
        notes=tuple(_check_notes(trials, wanted["arm"], more)),
        title="Checks that failed most",
        heads=["task", "check", "failed", "by arm", "look at one", "what it said"],
        rows=[_failure_row(part.to_dict("records"), arms=wanted["arm"].nunique()) for part in tasks[:most]],
        labels=2, empty=_no_failure(checks, trials),
    )  # fmt: skip


def _check_notes(trials: pd.DataFrame, counted: pd.Series, more: int) -> Iterator[str]:
    gone = sorted(set(trials["arm"]) - set(counted))
    if gone:
        yield f"Not counted: the control arms {listed(f'`{arm}`' for arm in gone)}."
    if more > 0:
        tasks = "1 more task" if more == 1 else f"{more} more tasks"
        yield f"Checks of {tasks} failed at least once, and less often than those shown."


def _failure_row(rows: list[dict[str, Any]], *, arms: int) -> list[str]:
    """Tell of the check of a task that failed most, and name the others."""
    first, others = rows[0], [row["name"] for row in rows[1:]]
    return [
        first["task_id"],
        f"{first['name']} (also {listed(others, most=2)})" if others else first["name"],
        f"{first['failed']} of {first['of']}",
        first["arms"] if arms > 1 else UNKNOWN,
        f"`agenteval show {first['example']}`",
        _short(_telling(first["detail"])),
    ]


def _no_failure(checks: pd.DataFrame, trials: pd.DataFrame) -> str:
    if checks.empty:
        return "No check results are recorded for these trials."
    only = " Only control arms ran." if all(control_of(arm) for arm in trials["arm"]) else ""
    return f"No check failed.{only}"


def _all_count(trials: int) -> str:
    return "the one trial counts" if trials == 1 else f"all {trials:,} trials count"


def _word(value: Any) -> str:
    return str(value) if known(value) else UNKNOWN


def _band(row: dict[str, Any]) -> str:
    return f"{100 * row['band_low']:.1f} to {100 * row['band_high']:.1f} %"


def _telling(detail: Any) -> Any:
    """Pick the line that says what failed: most output of a test runner is about the run itself."""
    if not known(detail):
        return detail
    lines = [line for line in str(detail).splitlines() if line.strip()]
    return next((line for line in lines if _FAILURE.search(line)), lines[0] if lines else None)


def _short(text: Any) -> str:
    if not known(text) or not str(text).strip():
        return ""
    line = next(iter(str(text).strip().splitlines())).strip()
    return line if len(line) <= _DETAIL_CHARACTERS else f"{line[: _DETAIL_CHARACTERS - 1]}…"
