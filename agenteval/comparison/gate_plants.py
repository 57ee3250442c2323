"""Regressions to plant: for every dimension what a worse and a better run look like, as trials.

They are written apart from the list of dimensions, in facts about trials, so that a wrong direction
or a wrong column in that list is found out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.records import Dimension, dimension_columns

TASKS, REPEATS = 48, 2
CHECK_SCORE = 0.6


@dataclass
class Planted:
    """Trials and checks of one made-up run; a plant changes them in place."""

    trials: pd.DataFrame
    checks: pd.DataFrame

    @property
    def wobble(self) -> np.ndarray:
        """-1, 0 or 1 by task, so that no plant is the same on every task."""
        return self.trials["position"].to_numpy() % 3 - 1

    def set_passed(self, kind: str | None, *, passed: bool) -> None:
        """Give every trial, or those of one kind of task, this verdict."""
        rows = self.trials["kind"] == kind if kind else self.trials["kind"].notna()
        self.trials.loc[rows, "passed"] = passed

    def scale(self, column: str, factor: float) -> None:
        """Multiply a column, a little differently by task."""
        self.trials[column] *= factor * (1 + 0.05 * self.wobble)

    def shift_checks(self, column: str, name: str, change: float) -> None:
        """Move the score of the checks that have this in a column, a little differently by task."""
        rows = (self.checks[column] == name).to_numpy()
        wobble = self.wobble[self.checks["row"].to_numpy()[rows]]
        self.checks.loc[rows, "score"] = (CHECK_SCORE + change + 0.05 * wobble).clip(0, 1)


@dataclass(frozen=True)
class Plant:
    """How to make a run worse, better, or without evidence on one dimension.

    `loss` is how much worse `worse` is, in the dimension's unit. `gone` is None where there is no
    run without this evidence.
    """

    worse: Callable[[Planted], None]
    better: Callable[[Planted], None]
    loss: float
    gone: Callable[[Planted], None] | None = None


def made_up_run(own: Dimension | None = None) -> Planted:
    """Trials in which every dimension has evidence, with room for worse and for better."""
    position = np.repeat(np.arange(TASKS), REPEATS)
    kind = np.select([position % 4 == 2, position % 4 == 3], ["pressure", "injection"], "task")
    size = len(position)
    trials = pd.DataFrame(
        {
            "run_id": "r",
            "trial_id": [f"t{row}" for row in range(size)],
            "suite": "proof",
            "task_id": [f"task-{task:02d}" for task in position],
            "task_digest": [f"digest-{task}" for task in position],
            "position": position,
            "kind": kind,
            "arm": "proof",
            "repeat": np.tile(np.arange(1, REPEATS + 1), TASKS),
            "passed": position % 8 < 4,
            "stop_blocks": (position % 3 == 0).astype(float),
            "protected_edits": 2.0,
            "lint_failures": 1.0,
            "shortcuts": 0.0,
            "cost_usd": 0.1 + 0.01 * position,
            "cost_source": "metered",
            "agent_s": 30.0 + position,
            "turns": 10.0 + position,
        }
    )
    checks = [_checks(size, "judge", "judge")]
    if own is not None and own.check is not None:
        checks.append(_checks(size, own.check, "command"))
    elif own is not None:
        trials[str(own.column)] = _own_column(own, position)
    return Planted(trials, pd.concat(checks, ignore_index=True))


def _checks(size: int, name: str, kind: str) -> pd.DataFrame:
    rows = np.arange(size)
    return pd.DataFrame(
        {
            "run_id": "r",
            "trial_id": [f"t{row}" for row in rows],
            "row": rows,
            "name": name,
            "kind": kind,
            "score": CHECK_SCORE,
        }
    )


def _own_column(own: Dimension, position: np.ndarray) -> np.ndarray:
    if dimension_columns()[str(own.column)] == "bool":
        return position % 8 < 4
    return CHECK_SCORE + 0.0 * position if own.column == "score" else 10.0 + position


def _set(column: str, value: object) -> Callable[[Planted], None]:
    def change(run: Planted) -> None:
        run.trials[column] = value

    return change


def _scaled(column: str, factor: float) -> Callable[[Planted], None]:
    return lambda run: run.scale(column, factor)


def _one_trial(column: str, value: float) -> Callable[[Planted], None]:
    def change(run: Planted) -> None:
        run.trials.loc[7, column] = value

    return change


def _passes(kind: str | None, *, passed: bool) -> Callable[[Planted], None]:
    return lambda run: run.set_passed(kind, passed=passed)


def _mistakes(change: int) -> Callable[[Planted], None]:
    def plant(run: Planted) -> None:
        run.trials["shortcuts"] += np.maximum(change + (change > 0) * run.wobble, 0)
        if change < 0:
            run.trials["protected_edits"] = run.wobble + 1.0
            run.trials["lint_failures"] = 0.0

    return plant


def _no_mistake_known(run: Planted) -> None:
    run.trials[["protected_edits", "lint_failures", "shortcuts"]] = np.nan


def _no_kind(kind: str) -> Callable[[Planted], None]:
    def change(run: Planted) -> None:
        run.trials["kind"] = run.trials["kind"].replace(kind, "task")

    return change


def _no_check(column: str, name: str) -> Callable[[Planted], None]:
    def change(run: Planted) -> None:
        run.checks = run.checks[run.checks[column] != name]

    return change


def _ratio(column: str) -> Plant:
    return Plant(_scaled(column, 2.0), _scaled(column, 0.5), 1.0, _set(column, np.nan))


def _kind(kind: str) -> Plant:
    return Plant(_passes(kind, passed=False), _passes(kind, passed=True), 0.5, _no_kind(kind))


PLANTS: dict[str, Plant] = {
    "pass_rate": Plant(_passes(None, passed=False), _passes(None, passed=True), 0.5),
    "solved": Plant(_passes(None, passed=False), _passes(None, passed=True), 0.5),
    "first_try": Plant(
        _set("stop_blocks", 1.0), _set("stop_blocks", 0.0), 0.33, _set("stop_blocks", np.nan)
    ),
    "pressure_compliance": _kind("pressure"),
    "injection_resistance": _kind("injection"),
    "mistakes": Plant(_mistakes(3), _mistakes(-3), 3.0, _no_mistake_known),
    "judge_score": Plant(
        lambda run: run.shift_checks("kind", "judge", -0.4),
        lambda run: run.shift_checks("kind", "judge", 0.3),
        0.4,
        _no_check("kind", "judge"),
    ),
    "cost": _ratio("cost_usd"),
    "time": _ratio("agent_s"),
    "turns": _ratio("turns"),
    # one trial alone, which an average would hide
    "cap_stop_blocks": Plant(
        _one_trial("stop_blocks", 9.0),
        _set("stop_blocks", 0.0),
        8.0,
        _set("stop_blocks", np.nan),
    ),
}


def own_plant(own: Dimension) -> Plant:
    """What is worse and better on a suite's own dimension, as its author declared it."""
    up = own.direction == "higher"
    if own.check is not None:
        return _own_check(own, up=up)
    column = str(own.column)
    gone = _set(column, np.nan) if column != "passed" else None
    if own.worst:
        low, high = _one_trial(column, 0.0), _one_trial(column, 1000.0)
        lost = 10.0 if up else 1000.0 - 10.0 - (TASKS - 1)
        raised, lowered = _scaled(column, 2.0), _scaled(column, 0.5)
        if column == "score":
            raised, lowered = _set(column, 1.0), _set(column, 0.0)
            low, high = _one_trial(column, 0.0), _one_trial(column, 1.0)
            lost = CHECK_SCORE if up else 1.0 - CHECK_SCORE
        return Plant(low, raised, lost, gone) if up else Plant(high, lowered, lost, gone)
    if dimension_columns()[column] == "bool":
        worse, better = _set(column, not up), _set(column, up)
        return Plant(worse, better, 0.5, gone)
    if column == "score":
        worse, better = _scaled(column, 1 / 3), _scaled(column, 1.5)
        return Plant(*((worse, better) if up else (better, worse)), 0.4 if up else 0.3, gone)
    worse, better = _scaled(column, 0.5), _scaled(column, 2.0)
    return Plant(*((worse, better) if up else (better, worse)), 0.5 if up else 1.0, gone)


def _own_check(own: Dimension, *, up: bool) -> Plant:
    name = str(own.check)
    down, rise = (
        lambda run: run.shift_checks("name", name, -0.4),
        lambda run: run.shift_checks("name", name, 0.3),
    )
    gone = _no_check("name", name)
    return Plant(*((down, rise) if up else (rise, down)), 0.4 if up else 0.3, gone)
