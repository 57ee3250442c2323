"""The tasks of a gate: which are in both sides, and which regressed, were fixed or are flaky."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from agenteval.comparison.baseline import solved_by
from agenteval.records import ArmRecord, TaskRecord

ENOUGH_OVERLAP = 0.8
DTYPES: dict[str, str] = {
    "arm": "str", "suite": "str", "task_id": "str", "change": "str", "before": "str", "after": "str",
    "passes_before": "int64", "trials_before": "int64", "passes_after": "int64", "trials_after": "int64",
    "pass_policy": "str", "flaky_before": "bool", "flaky_after": "bool", "lost_whole": "bool",
}  # fmt: skip


@dataclass(frozen=True)
class TaskPairs:
    """Tasks of one arm on both sides.

    Attributes
    ----------
    common
        Baseline's and run's record of each task graded in both with the same digest.
    added, removed, changed
        Ids of tasks graded now only, in the baseline only, and with another digest.
    apart
        Records of the baseline's and the run's graded tasks that are not common.
    unknown_digests
        Whether some common task has no digest on one side, so that a change could not be seen.
    """

    common: tuple[tuple[TaskRecord, TaskRecord], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    apart: tuple[tuple[TaskRecord, ...], tuple[TaskRecord, ...]]
    unknown_digests: bool

    @property
    def overlap(self) -> float:
        """Share of the baseline's graded tasks that can be compared."""
        before = len(self.common) + len(self.removed) + len(self.changed)
        return len(self.common) / before if before else 0.0


def pair_tasks(before: ArmRecord, after: ArmRecord) -> TaskPairs:
    """Put the graded tasks of both sides together; a changed task is not the same task.

    Tasks are the same by suite and id; where the two sides call their one suite differently, as a
    file of another tool may, by id alone.
    """
    was, now = (_graded(arm.tasks) for arm in (before, after))
    suites = [{key[0] for key in side} for side in (was, now)]
    if all(len(names) == 1 for names in suites) and suites[0] != suites[1]:
        was, now = ({("", key[1]): task for key, task in side.items()} for side in (was, now))
    both = [key for key in was if key in now]
    changed = {key for key in both if _changed(was[key], now[key])}
    common = tuple((was[key], now[key]) for key in both if key not in changed)
    return TaskPairs(
        common=common,
        added=tuple(now[key].task_id for key in now if key not in was),
        removed=tuple(was[key].task_id for key in was if key not in now),
        changed=tuple(was[key].task_id for key in was if key in changed),
        apart=(
            tuple(task for key, task in was.items() if key not in now or key in changed),
            tuple(task for key, task in now.items() if key not in was or key in changed),
        ),
        unknown_digests=any(None in (a.task_digest, b.task_digest) for a, b in common),
    )


def task_rows(arm: str, pairs: TaskPairs) -> pd.DataFrame:
    """One row a common task, regressions first; see `GateReport.tasks`."""
    rows = [_row(arm, before, after) for before, after in pairs.common]
    rank = {"regressed": 0, "fixed": 1, "same": 2}
    rows.sort(key=lambda row: rank[str(row["change"])])
    return pd.DataFrame(rows, columns=list(DTYPES)).astype(DTYPES)


def _row(arm: str, before: TaskRecord, after: TaskRecord) -> dict[str, object]:
    was, now = status_of(before), status_of(after)
    change = "regressed" if was == "pass" != now else "fixed" if now == "pass" != was else "same"
    return {
        "arm": arm,
        "suite": after.suite,
        "task_id": after.task_id,
        "change": change,
        "before": was,
        "after": now,
        "passes_before": before.passes,
        "trials_before": before.trials,
        "passes_after": after.passes,
        "trials_after": after.trials,
        "pass_policy": after.pass_policy,
        "flaky_before": is_flaky(before),
        "flaky_after": is_flaky(after),
        "lost_whole": before.passes == before.trials and after.passes == 0,
    }


def left_out_of(arm: ArmRecord) -> tuple[int, int]:
    """Trials of an arm that do not count, and all of them."""
    out = sum(task.left_out for task in arm.tasks)
    return out, out + sum(task.trials for task in arm.tasks)


def too_many_left_out(arm: ArmRecord) -> list[str]:
    """Why so many trials do not count that nothing can be told; empty when they are few."""
    out, trials = left_out_of(arm)
    if out <= (1 - ENOUGH_OVERLAP) * trials:
        return []
    return [f"too many errors: {out} of {trials} trials do not count"]


def status_of(task: TaskRecord) -> str:
    """`pass` when the task's policy holds, `error` when no trial passed or plainly failed, else `fail`."""
    if solved_by(task.pass_policy, trials=task.trials, passes=task.passes):
        return "pass"
    return "error" if task.passes == 0 and task.errors == task.trials else "fail"


def is_flaky(task: TaskRecord) -> bool:
    """Whether it passed sometimes and sometimes not."""
    return 0 < task.passes < task.trials


def _graded(tasks: Sequence[TaskRecord]) -> dict[tuple[str, str], TaskRecord]:
    return {(task.suite, task.task_id): task for task in tasks if task.trials}


def _changed(before: TaskRecord, after: TaskRecord) -> bool:
    known = before.task_digest is not None and after.task_digest is not None
    return known and before.task_digest != after.task_digest
