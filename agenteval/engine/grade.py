"""Grading: a fresh copy of start + change, hidden files laid over, then the checks."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.checks import Grading, Verdict, Work, run_check, shortcuts_in
from agenteval.engine.copies import GradingCopies
from agenteval.engine.diskspace import check_room, missing_bytes
from agenteval.engine.faults import made_by_files
from agenteval.engine.git import GitError
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import Snapshot
from agenteval.errors import Infrastructure
from agenteval.judge import Judged
from agenteval.records import (
    AnyCheck,
    CheckRow,
    JudgeCheck,
    RecordedCheck,
    RunFolder,
    check_label,
)
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask

# of a check of kind judge, until the others are done
NOT_JUDGED = Verdict(passed=None, detail="no judge was asked", error_class="check_no_verdict")


@dataclass(frozen=True)
class Graded:
    """Verdicts of all checks of a task, in order, and the seconds it took.

    Attributes
    ----------
    judged
        Name of each check of kind judge to what its judges said.
    shortcuts
        Shortcuts in the change, of every family there is; None when nobody looked.
    """

    verdicts: tuple[Verdict, ...]
    grade_s: float
    judged: Mapping[str, Judged] = field(default_factory=dict)
    shortcuts: int | None = None

    @property
    def lint_failures(self) -> int | None:
        """Findings of all linters together; None when no linter gave a result."""
        found = [each.findings for each in self.verdicts if each.findings is not None]
        return sum(found) if found else None

    @property
    def outputs(self) -> dict[str, bytes]:
        """Artifact name to check output, and to the results of single tests as JSON."""
        found = {}
        for seq, verdict in enumerate(self.verdicts, 1):
            if verdict.output is not None:
                found[check_artifact(seq)] = verdict.output
            if verdict.tests is not None:
                text = json.dumps(dict(verdict.tests), indent=1, ensure_ascii=False)
                found[tests_artifact(seq)] = text.encode() + b"\n"
        return found

    @property
    def tampering(self) -> frozenset[str]:
        """Names of what the checks saw done to them."""
        return frozenset(name for verdict in self.verdicts for name in verdict.tampering)


def grade(
    task: LoadedTask,
    start: Snapshot,
    tree: str,
    work: Work | None = None,
    *,
    sandbox: Sandbox,
    folder: Path,
    hidden: Iterable[Path] = (),
    cancel: threading.Event | None = None,
) -> Graded:
    """Grade the tree of a frozen change; judges are asked afterwards (`with_judges`).

    Commands of checks run in the same copy, one after the other; a check on single tests gets a
    fresh one of its own. A tree that cannot be laid out gives no verdict on any check: the agent's
    work caused it, so it counts as zero, unless the disk is full.

    Parameters
    ----------
    start
        Start snapshot, whose store holds `tree`.
    work
        The answer, the change and what else checks may look at; empty when left out.
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
    folder.mkdir(parents=True, exist_ok=True)
    copies, work = GradingCopies(task, start, tree, folder, hidden), work or Work()
    try:
        verdicts = tuple(
            _steady_run(check, copies, sandbox, work, cancel) for check in task.task.checks
        )
    except GitError as error:
        if missing_bytes(folder):
            raise Infrastructure(
                f"The grading copy does not fit on the disk: {error.what}",
                str(folder),
                "make space, then retry",
                "grading_failed",
            ) from error
        lost = Verdict(passed=None, detail=str(error), error_class="check_no_verdict")
        verdicts = tuple(lost for _ in task.task.checks)
    if not any(verdict.stopped_by == "disk_limit" for verdict in verdicts):
        check_room(folder, "grading_failed")
    remove(folder)
    cut = any(file.cut for file in work.changes.files)
    shortcuts = None if cut else len(shortcuts_in(work.changes.files))
    return Graded(verdicts, time.monotonic() - started, shortcuts=shortcuts)


def _run(
    check: AnyCheck,
    copies: GradingCopies,
    sandbox: Sandbox,
    work: Work,
    cancel: threading.Event | None,
) -> Verdict:
    if isinstance(check, JudgeCheck):
        return NOT_JUDGED
    limits, recorded = copies.task.task, copies.task.recorded.get(check.name)
    env = limits.env
    if not isinstance(check, RecordedCheck):
        box = copies.shared() if "copy" in check.sources else copies.empty()
        return run_check(
            check, Grading(sandbox, box, env, work.answer, cancel, limits=limits, work=work)
        )
    with copies.fresh(check) as (box, files):
        return run_check(check, Grading(sandbox, box, env, "", cancel, files, recorded, limits))


def _steady_run(
    check: AnyCheck,
    copies: GradingCopies,
    sandbox: Sandbox,
    work: Work,
    cancel: threading.Event | None,
) -> Verdict:
    """The same; an error of the system that only names, links and numbers of files can cause is no verdict.

    The agent made them, and it must not leave the rate by making what no system call takes.
    """
    try:
        return _run(check, copies, sandbox, work, cancel)
    except OSError as error:
        if not made_by_files(error):
            raise
        return Verdict(passed=None, detail=str(error), error_class="check_no_verdict")


def check_artifact(seq: int) -> str:
    """Name of a check's output below the attempt's folder."""
    return f"checks/{seq}.txt"


def tests_artifact(seq: int) -> str:
    """Name of the results of a check's single tests, id -> status, below the attempt's folder."""
    return f"checks/{seq}.tests.json"


def check_rows(
    task: LoadedTask,
    graded: Graded,
    *,
    run_id: str,
    trial_id: str,
    attempt: int,
    grading: int = 1,
) -> tuple[CheckRow, ...]:
    """Records of the verdicts; `grading` counts the gradings of one attempt from 1."""
    place = RunFolder(Path()).grading(trial_id, attempt, grading)
    return tuple(
        CheckRow(
            run_id=run_id,
            trial_id=trial_id,
            attempt=attempt,
            grading=grading,
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
            output=None if verdict.output is None else (place / check_artifact(seq)).as_posix(),
        )
        for seq, (check, verdict) in enumerate(
            zip(task.task.checks, graded.verdicts, strict=True), 1
        )
    )
