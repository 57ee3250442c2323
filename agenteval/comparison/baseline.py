"""What a run came to by task and dimension: the side of a gate, and what a baseline file keeps."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from agenteval.comparison.dimensions import Evidence, Measure, measures_of
from agenteval.comparison.trial_table import Codes, Floats, as_frame, read_trials
from agenteval.comparison.wording import listed
from agenteval.errors import InvalidInput
from agenteval.records import (
    ArmRecord,
    Baseline,
    Dimension,
    RunFolder,
    TaskRecord,
    TaskValue,
    read_manifest,
)


@runtime_checkable
class HasRuns(Protocol):
    """Anything that hands out the trials, checks and tasks of a run, such as a store."""

    def trials(self, **filters: Any) -> pd.DataFrame:
        """Return one row a trial."""
        ...

    def checks(self, trials: pd.DataFrame | None = None, **filters: Any) -> pd.DataFrame:
        """Return one row a check."""
        ...

    def tasks(self, **filters: Any) -> pd.DataFrame:
        """Return one row a task and run."""
        ...


def baseline_of(
    trials: pd.DataFrame | HasRuns,
    *,
    run: str | None = None,
    arm: str | None = None,
    checks: pd.DataFrame | None = None,
    tasks: pd.DataFrame | None = None,
    dimensions: Iterable[Dimension] = (),
    name: str = "",
    digests_known: bool = True,
) -> Baseline:
    """Sum a run up by arm, task and dimension.

    The task is the unit: its value on a dimension is the mean over its trials that count. Trials
    left out of the rate are counted and give no evidence.

    Parameters
    ----------
    trials
        A store, of which one run is taken, or a trial table.
    run
        Run of the store; needed with a store. With a table it only names the source.
    arm
        Keeps this arm alone.
    checks, tasks, dimensions
        With a table: rows of `checks` and `tasks`, and the suite's own dimensions. A store has
        them itself.
    name
        What people call it; the run when empty.
    digests_known
        False where the task digests say nothing about whether a task changed.

    Raises
    ------
    NotEnoughData
        When there are no trials.
    InvalidInput
        For a store without a run, an arm that is not there, or a table that cannot be read.
    """
    if not isinstance(trials, pd.DataFrame):
        if run is None:
            raise InvalidInput("no run is named", "argument run", "name a run of the store")
        store = trials
        frame = store.trials(run=run)
        checks, tasks = store.checks(frame, run=run), store.tasks(run=run)
        dimensions = _declared(store, run)
    else:
        frame = trials
    frame = as_frame(frame)
    arms = sorted(frame["arm"].dropna().unique().tolist())
    if arm is not None and arm not in arms:
        what = f"the run has no arm {arm!r}"
        raise InvalidInput(what, "argument arm", f"choose one of: {listed(arms, most=12)}")
    chosen = arms if arm is None else [arm]
    measures = measures_of(dimensions)
    policies = _policies(tasks)
    source = run or "trials"
    records = [
        _arm(frame[frame["arm"] == name], name, checks, policies, measures, digests_known)
        for name in chosen
    ]
    return Baseline(
        name=name or source,
        saved_at=datetime.now(UTC),
        agenteval_version=version("agenteval"),
        source=source,
        dimensions=list(dict.fromkeys(dimensions)),
        arms=records,
    )


def _declared(store: Any, run: str) -> list[Dimension]:
    """Dimensions that the run's suite declared, as its manifest keeps them."""
    if not hasattr(store, "run_folder"):
        return []
    return read_manifest(RunFolder(store.run_folder(run)).manifest).dimensions


def _policies(tasks: pd.DataFrame | None) -> dict[tuple[str, str], str]:
    if tasks is None or "pass_policy" not in tasks.columns:
        return {}
    known = tasks[tasks["pass_policy"].notna()]
    return {
        (suite, task): policy
        for suite, task, policy in known[["suite", "task_id", "pass_policy"]].itertuples(
            index=False
        )
    }


def _arm(
    frame: pd.DataFrame,
    name: str,
    checks: pd.DataFrame | None,
    policies: dict[tuple[str, str], str],
    measures: tuple[Measure, ...],
    digests_known: bool,  # noqa: FBT001 - private
) -> ArmRecord:
    table = read_trials(frame)
    counted = table.counted
    evidence = Evidence(frame[counted], checks)
    values = [(measure, measure.read(evidence)) for measure in measures]
    suites = table.tasks["suite"].astype("str").fillna("").tolist()
    failed = counted & (frame["status"] == "error").to_numpy(bool, na_value=False)
    failed &= table.passed == 0
    digests, kinds = (_texts(frame, column) for column in ("task_digest", "kind"))
    records = []
    for position, task_id in enumerate(table.tasks["task_id"].tolist()):
        rows = np.flatnonzero(table.task == position)
        own = np.flatnonzero(table.task[counted] == position)
        passes = int((table.passed[rows] == 1).sum())
        policy = policies.get((suites[position], task_id), "all")
        found = {
            measure.name: _policy_value(len(own), passes, policy)
            if measure.by_policy
            else _value(measure, numbers[own])
            for measure, numbers in values
        }
        records.append(
            TaskRecord(
                suite=suites[position],
                task_id=str(task_id),
                task_digest=_last(digests, rows) if digests_known else None,
                kind=_last(kinds, rows) or "task",
                pass_policy=policy,
                trials=len(own),
                passes=passes,
                errors=int(failed[rows].sum()),
                left_out=len(rows) - len(own),
                values={key: value for key, value in found.items() if value is not None},
            )
        )
    every = np.arange(len(frame))
    return ArmRecord(arm=name, arm_digest=_last(_texts(frame, "arm_digest"), every), tasks=records)


def solved_by(policy: str, *, trials: int, passes: int) -> bool:
    """Say whether a task is solved; a tie is no majority.

    Examples
    --------
    >>> [solved_by(policy, trials=2, passes=1) for policy in ("all", "any", "majority")]
    [False, True, False]
    """
    if policy == "any":
        return passes > 0
    return 2 * passes > trials if policy == "majority" else passes == trials


def _policy_value(trials: int, passes: int, policy: str) -> TaskValue | None:
    if not trials:
        return None
    solved = float(solved_by(policy, trials=trials, passes=passes))
    return TaskValue(n=1, mean=solved, worst=solved)


def _value(measure: Measure, numbers: Floats) -> TaskValue | None:
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return None
    worst = known.min() if measure.direction == "higher" else known.max()
    return TaskValue(n=len(known), mean=float(known.mean()), worst=float(worst))


def _texts(frame: pd.DataFrame, column: str) -> list[str | None]:
    """A column as texts, None where it is missing."""
    if column not in frame.columns:
        return [None] * len(frame)
    return [value if isinstance(value, str) else None for value in frame[column].tolist()]


def _last(texts: list[str | None], rows: Codes) -> str | None:
    """The last text there is in some rows."""
    return next((texts[row] for row in reversed(rows.tolist()) if texts[row]), None)
