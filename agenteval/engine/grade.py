"""Grading: a fresh copy of start + change, hidden files laid over, then the checks."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agenteval.checks import Grading, Verdict, run_check
from agenteval.engine.boxes import task_box
from agenteval.engine.git import GitError
from agenteval.engine.overlay import lay_over
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import Snapshot, lay_out
from agenteval.errors import Infrastructure
from agenteval.records import CheckRow, check_label
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask

FULL_BYTES = 64 << 20


@dataclass(frozen=True)
class Graded:
    """Verdicts of all checks of a task, in order, and the seconds it took."""

    verdicts: tuple[Verdict, ...]
    grade_s: float

    @property
    def outputs(self) -> dict[str, bytes]:
        """Artifact name to check output."""
        return {
            check_artifact(seq): v.output
            for seq, v in enumerate(self.verdicts, 1)
            if v.output is not None
        }


def grade(
    task: LoadedTask,
    start: Snapshot,
    tree: str,
    answer: str,
    *,
    sandbox: Sandbox,
    folder: Path,
    hidden: Iterable[Path] = (),
    cancel: threading.Event | None = None,
) -> Graded:
    """Grade the tree of a frozen change.

    Each check command runs in the same copy, one after the other. A tree that cannot be laid out
    gives no verdict on any check: the agent's work caused it, so it counts as zero, unless the
    disk is full.

    Parameters
    ----------
    start
        Start snapshot, whose store holds `tree`.
    folder
        Scratch folder for the grading copy; removed afterwards.
    hidden
        Folders that code under test must not see, beside the suite's own.

    Raises
    ------
    Infrastructure
        When the sandbox fails or the disk is full.
    """
    started = time.monotonic()
    box = task_box(task, folder, hidden=hidden)
    try:
        lay_out(start, tree, box.workspace)
    except GitError as error:
        if _is_full(folder):
            raise Infrastructure(
                f"The grading copy does not fit on the disk: {error.what}",
                str(folder),
                "make space, then retry",
                "grading_failed",
            ) from error
        lost = Verdict(passed=None, detail=str(error), error_class="check_no_verdict")
        return Graded(tuple(lost for _ in task.task.checks), time.monotonic() - started)
    lay_over(task.folder / "hidden", task.hidden, box.workspace)
    grading = Grading(sandbox, box, task.task.env, answer, cancel)
    verdicts = tuple(run_check(check, grading) for check in task.task.checks)
    remove(folder)
    return Graded(verdicts, time.monotonic() - started)


def _is_full(folder: Path) -> bool:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < FULL_BYTES or (disk.f_files > 0 and disk.f_favail < 100)


def check_artifact(seq: int) -> str:
    """Name of a check's output below the attempt's folder."""
    return f"checks/{seq}.txt"


def check_rows(
    task: LoadedTask, graded: Graded, *, run_id: str, trial_id: str, attempt: int
) -> tuple[CheckRow, ...]:
    """Records of the verdicts."""
    return tuple(
        CheckRow(
            run_id=run_id,
            trial_id=trial_id,
            attempt=attempt,
            seq=seq,
            name=check_label(check, seq),
            kind=check.kind,
            passed=verdict.passed,
            score=verdict.score,
            weight=check.weight,
            error_class=verdict.error_class,
            detail=verdict.detail or None,
            exit_code=verdict.exit_code,
            duration_s=verdict.duration_s,
            output=None
            if verdict.output is None
            else f"artifacts/{trial_id}/attempt-{attempt}/{check_artifact(seq)}",
        )
        for seq, (check, verdict) in enumerate(
            zip(task.task.checks, graded.verdicts, strict=True), 1
        )
    )
