"""The answer in front of everything else: who is ahead, how sure that is, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from agenteval.comparison import RunChange, against, head_to_head, scoreboard
from agenteval.comparison.verdict import sentence
from agenteval.comparison.wording import count_of, known, listed, percent
from agenteval.errors import NotEnoughData
from agenteval.reports.arms import contenders, control_of
from agenteval.reports.prose import Prose, code, joined


def headline(
    trials: pd.DataFrame, *, baseline: pd.DataFrame | None = None, level: float = 0.95
) -> Prose:
    """Say what a run shows, in the order in which people ask.

    Control arms (the reference solution, doing nothing) are told apart from the arms that
    compete. The best arm is compared with the runner-up, paired on tasks and adjusted for the
    number of arms it was picked from.

    Parameters
    ----------
    trials
        The run's trial table.
    baseline
        Trial table of a baseline run; when given, what changed since comes first.
    level
        Level of the intervals.

    Raises
    ------
    NotEnoughData
        When there is no trial.
    """
    ranking = _ranking(trials, level)
    changes = [] if baseline is None else _since(trials, baseline, level)
    return Prose((*changes, *ranking, *_controls(trials), _size(trials)), style="headline")


def _ranking(trials: pd.DataFrame, level: float) -> list[str]:
    rivals = contenders(trials)
    board = scoreboard(rivals, level=level)
    rows = [row for row in board.table.to_dict("records") if row["trials"]]
    if not rows:
        return [f"No trial counts, so nothing can be said about any arm{_why(rivals)}."]
    best = rows[0]
    if len(rows) == 1:
        return [
            f"{code(best['arm'])} passes {percent(best['rate'], digits=0)} of its trials, mean over tasks.",
            f"The {100 * level:g} % interval runs from {percent(best['low'], digits=0)} to {percent(best['high'], digits=0)}.",
        ]
    second = rows[1]
    row = _difference(rivals, best["arm"], second["arm"], level)
    if row is None:
        return [
            f"{code(best['arm'])} and {code(second['arm'])} were graded on different tasks, so they cannot be ranked.",
        ]
    return [
        _lead(row, best, second, others=len(rows) - 2),
        sentence(row, comparisons=max(1, len(rows) - 1)),
    ]


def _difference(
    rivals: pd.DataFrame, best: str, second: str, level: float
) -> dict[str, Any] | None:
    """Return the row of best minus second, adjusted for all arms the best was picked from."""
    for candidate in (None, second):
        try:
            table = head_to_head(rivals, baseline=best, candidate=candidate, level=level).table
        except NotEnoughData:
            continue
        return next(_turned(row) for row in table.to_dict("records") if row["candidate"] == second)
    return None


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """Look at a difference from the other side."""
    swapped = {"better": "worse", "worse": "better"}
    swap = {
        name: row[_other_side(name)] for name in row if name.endswith(("baseline", "candidate"))
    }
    values = {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
    return {**row, **swap, **values, "verdict": swapped.get(row["verdict"], row["verdict"])}


def _other_side(name: str) -> str:
    if name.endswith("baseline"):
        return name.removesuffix("baseline") + "candidate"
    return name.removesuffix("candidate") + "baseline"


def _lead(
    row: Mapping[str, Any], best: Mapping[str, Any], second: Mapping[str, Any], *, others: int
) -> str:
    one, two = code(best["arm"]), code(second["arm"])
    shares = f"{percent(best['rate'], digits=0)} against {percent(second['rate'], digits=0)}"
    rates = f"{shares} of trials, mean over tasks"
    ahead = f" and {count_of(others, 'other')}" if others else ""
    if round(row["difference"], 4) == 0:
        return f"{one} and {two} pass equally often, {percent(best['rate'], digits=0)}; with so few tasks that does not make them equal."
    match row["verdict"]:
        case "better":
            return f"{one} is better than {two}{ahead}: it passes {rates}."
        case "worse":
            return f"{one} passes {shares} of {two}, but is worse on the tasks both were graded on."
        case "no difference shown":
            return f"No difference is shown between {one} and {two}: {rates}."
    return (
        f"{one} is ahead of {two}{ahead}, {rates}, but this is too little to tell which is better."
    )


def _why(trials: pd.DataFrame) -> str:
    """Count the reasons for which trials were left out."""
    reasons = trials["status"]
    if "error_class" in trials:
        reasons = trials["error_class"].fillna(reasons)
    counts = reasons.value_counts()
    said = listed(f"{reason} {n}" for reason, n in counts.items())
    return f": all {len(trials)} were left out of the rates ({said})" if len(counts) else ""


def _since(trials: pd.DataFrame, baseline: pd.DataFrame, level: float) -> list[str]:
    try:
        change = against(trials, baseline, level=level)
    except NotEnoughData as error:
        return [not_comparable(error)]
    return [*_changes(change, baseline)]


def not_comparable(error: NotEnoughData) -> str:
    """Say in a report why nothing can be compared with the baseline run."""
    return f"Nothing can be compared with the baseline run: {error.what}."


def _changes(change: RunChange, baseline: pd.DataFrame) -> Iterator[str]:
    runs = baseline["run_id"].unique().tolist() if "run_id" in baseline else []
    since = f"Since run {code(runs[0])}" if len(runs) == 1 else "Since the baseline"
    arms = [
        row for row in change.arms.to_dict("records") if control_of(row["arm"]) is None
    ] or change.arms.to_dict("records")
    worse, better = (
        [code(row["arm"]) for row in arms if row["verdict"] == verdict]
        for verdict in ("worse", "better")
    )
    same = len(change.table) - len(change.regressed) - len(change.improved)
    moved = f"{len(change.regressed)} went down, {len(change.improved)} up, {same} stayed the same"
    if worse or better:
        parts = [
            f"{joined(names)} got {word}"
            for names, word in ((worse, "worse"), (better, "better"))
            if names
        ]
        yield f"{since} {joined(parts)}."
    else:
        yield f"{since} no arm is shown to have changed."
    yield f"Of the pairs of task and arm, {moved}; with few repeats a single task moves by chance."


def _controls(trials: pd.DataFrame) -> Iterator[str]:
    kinds = {
        kind: trials[[control_of(arm) == kind for arm in trials["arm"]]]
        for kind in ("reference", "noop")
    }
    if any(table.empty for table in kinds.values()) or len(contenders(trials)) == len(trials):
        return
    solved, idle = (scoreboard(table).table.iloc[0] for table in kinds.values())
    if not known(solved["rate"]) or not known(idle["rate"]):
        yield "The controls were not graded, so nothing shows that the tasks are real tests."
    elif solved["rate"] == 1 and idle["rate"] == 0:
        left = int(solved["left_out"] + idle["left_out"])
        but = f" ({count_of(left, 'trial')} of theirs left out)" if left else ""
        yield f"The controls are as they should be{but}: the reference solution passes every task, doing nothing passes none."
    else:
        yield (
            f"The controls are not as they should be: the reference solution passes {percent(solved['rate'], digits=0)} and "
            f"doing nothing {percent(idle['rate'], digits=0)}. Look at the tasks before you believe any other number."
        )


def _name(trials: pd.DataFrame) -> str:
    runs = trials["run_id"].unique().tolist() if "run_id" in trials else []
    started = trials["started_at"].min() if "started_at" in trials else None
    when = f", {started:%Y-%m-%d}" if known(started) and started is not pd.NaT else ""
    if not runs:
        return "What it rests on"
    return f"Run {code(runs[0])}{when}" if len(runs) == 1 else f"{len(runs)} runs{when}"


def _size(trials: pd.DataFrame) -> str:
    missing = int(trials["passed"].isna().sum())
    keys = ["suite", "task_id"] if "suite" in trials else ["task_id"]
    tasks = len(trials[keys].drop_duplicates())
    left = f"{missing} of them left out of the rates" if missing else "none left out"
    return f"{_name(trials)}: {count_of(trials['arm'].nunique(), 'arm')}, {count_of(tasks, 'task')} and {count_of(len(trials), 'trial')}, {left}."
