"""Which tasks of a suite tell arms apart, and which need mending."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from agenteval.comparison.wording import count_of, percent, seconds
from agenteval.reports.arms import contenders, control_of
from agenteval.reports.section import Section
from agenteval.stats import item_discrimination

MOST_TASKS = 200
_SLOW = 3.0
_REVERSED, _ENOUGH_ARMS = -0.5, 4
_TRIAL = ["run_id", "trial_id", "attempt"]


def task_health(trials: pd.DataFrame, gradings: pd.DataFrame | None = None) -> Section:
    """Say of every task what is wrong with it, as far as these trials show.

    With few trials a task can look too easy or too hard by chance; a flag says where to look.

    Parameters
    ----------
    trials
        A trial table.
    gradings
        `store.attempts(gradings="all")`: tells where a grader disagrees with itself.

    Returns
    -------
    Section
        `.table` has one row a task, most flags first: `suite`, `task_id`, `trials` that count of
        arms that compete, `arms`, `rate`, `difficulty` (1 - `rate`), `discrimination` (do arms that do well
        on the suite's other tasks do well here: `stats.item_discrimination`, from -1 to 1, rough with
        few arms, NaN with less than three), `spread` between the best and the worst arm, `mixed`
        (share of arms, of those with repeats, that passed it sometimes), `median_s`, `left_out`,
        `regraded` gradings that disagree, and `flags`: `too easy` (all passed), `too hard` (none
        passed), `flaky` (half of the arms or more pass it sometimes), `tells no arms apart`, `slow`
        (three times the median task), `better arms fail it` (discrimination of -.5 or less with four arms
        or more), `grader disagrees`, `reference fails`, `passed by doing
        nothing`, `nothing counts`.
    """
    rivals = contenders(trials)
    disagree = _disagreeing(gradings)
    rows = [
        _row(str(suite), str(task), part, trials, disagree)
        for (suite, task), part in rivals.groupby(["suite", "task_id"], sort=True)
    ]
    _discriminate(rows, rivals)
    table = pd.DataFrame(rows)
    if table.empty:
        return Section(table=table, empty="There is no trial, so nothing can be said of any task.")
    typical = table["median_s"].median()
    for row in rows:
        if len(rows) > 2 and row["median_s"] > _SLOW * typical:
            row["flags"].append("slow")
    table = pd.DataFrame(rows)
    order = (-table["flags"].map(len)).argsort(kind="stable")
    table = table.iloc[order].reset_index(drop=True)
    return Section(
        table=table.assign(flags=table["flags"].map(", ".join)),
        title="Health of the tasks",
        heads=[
            "task",
            "flags",
            "difficulty",
            "discrimination",
            "trials",
            "arms",
            "spread",
            "mixed",
            "time",
            "left out",
        ],
        rows=[_texts(row) for row in table.head(MOST_TASKS).to_dict("records")],
        labels=2,
        notes=_notes(table),
    )


def _row(
    suite: str, task: str, part: pd.DataFrame, trials: pd.DataFrame, disagree: set[tuple[str, str]]
) -> dict[str, Any]:
    counted = part[part["passed"].notna()]
    passed = counted["passed"].astype(bool)
    by_arm = passed.groupby(counted["arm"]).agg(["mean", "size"])
    repeated = by_arm[by_arm["size"] > 1]["mean"]
    mixed = float(((repeated > 0) & (repeated < 1)).mean()) if len(repeated) else float("nan")
    spread = float(by_arm["mean"].max() - by_arm["mean"].min()) if len(by_arm) else float("nan")
    rate = float(by_arm["mean"].mean()) if len(by_arm) else float("nan")
    whole = trials[(trials["suite"] == suite) & (trials["task_id"] == task)]
    flags = {
        "nothing counts": counted.empty,
        "too easy": rate == 1,
        "too hard": rate == 0,
        "flaky": mixed >= 0.5,
        "tells no arms apart": len(by_arm) > 1 and 0 < rate < 1 and spread == 0,
        "grader disagrees": (suite, task) in disagree,
        **_controls(whole),
    }
    return {
        "suite": suite, "task_id": task, "trials": len(counted), "arms": len(by_arm),
        "rate": rate, "difficulty": 1 - rate, "discrimination": float("nan"), "spread": spread, "mixed": mixed,
        "median_s": float(part["duration_s"].median()) if part["duration_s"].notna().any() else float("nan"),
        "left_out": len(part) - len(counted), "flags": [name for name, true in flags.items() if true],
    }  # fmt: skip


def _discriminate(rows: list[dict[str, Any]], rivals: pd.DataFrame) -> None:
    """Fill in how each task separates the arms, among the tasks of its suite."""
    counted = rivals[rivals["passed"].notna()]
    for suite, part in counted.groupby("suite"):
        passed = part["passed"].astype(float)
        rates = passed.groupby([part["task_id"], part["arm"]]).mean().unstack()
        known = dict(zip(rates.index, item_discrimination(rates.to_numpy()), strict=True))
        for row in rows:
            if row["suite"] == str(suite) and row["task_id"] in known:
                row["discrimination"] = float(known[row["task_id"]])
                if row["discrimination"] <= _REVERSED and row["arms"] >= _ENOUGH_ARMS:
                    row["flags"].append("better arms fail it")


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.2f}"


def _controls(trials: pd.DataFrame) -> dict[str, bool]:
    kinds = trials["arm"].map(control_of)
    passed = trials["passed"]
    reference = passed[(kinds == "reference").to_numpy(bool, na_value=False)].dropna()
    nothing = passed[(kinds == "noop").to_numpy(bool, na_value=False)].dropna()
    return {
        "reference fails": bool(len(reference)) and not bool(reference.all()),
        "passed by doing nothing": bool(nothing.any()),
    }


def _disagreeing(gradings: pd.DataFrame | None) -> set[tuple[str, str]]:
    """Tasks with an attempt that was graded twice with another outcome."""
    if gradings is None or gradings.empty:
        return set()
    known = gradings.dropna(subset=["passed"])
    verdicts = known.groupby([*_TRIAL, "suite", "task_id"])["passed"].nunique()
    return {(str(key[-2]), str(key[-1])) for key in verdicts[verdicts > 1].index}


def _texts(row: dict[str, Any]) -> list[str]:
    return [
        f"`{row['task_id']}`", ", ".join(row["flags"]) or "none", percent(row["difficulty"], digits=0), _signed(row["discrimination"]),
        str(row["trials"]), str(row["arms"]), percent(row["spread"], digits=0),
        percent(row["mixed"], digits=0), seconds(row["median_s"]), str(row["left_out"]),
    ]  # fmt: skip


def _notes(table: pd.DataFrame) -> tuple[str, ...]:
    flags = table["flags"].explode().dropna().value_counts()
    tally = ", ".join(f"{name} {n}" for name, n in flags.items())
    said = f"{count_of(len(table), 'task')}, of which {int((table['flags'].map(len) > 0).sum())} have a flag"
    return (
        f"{said}{f' ({tally})' if tally else ''}. Control arms only count for what they control.",
    )
