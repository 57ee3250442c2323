"""One stored attempt graded again: its patch and answer, today's checks, no agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from agenteval.engine.base import TaskBase, copy_workspace, start_snapshot
from agenteval.engine.boxes import task_box
from agenteval.engine.evidence import change_of
from agenteval.engine.freeze import Frozen
from agenteval.engine.grade import Graded, check_rows, grade
from agenteval.engine.judging import Judging, judge_cost, judgment_artifacts, with_judges
from agenteval.engine.kept import answer_then, masked_files, patch_then, tools_then
from agenteval.engine.launching import run_setup
from agenteval.engine.regraded import Refused
from agenteval.engine.retries import steadily
from agenteval.engine.rows import crash_message
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import TrialResult
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.tampering import in_order, sensed_in_change
from agenteval.engine.thaw import thaw
from agenteval.engine.variants import handed_by, lay_variant, lays_files
from agenteval.engine.work import metered_then, traces_then, work_of
from agenteval.errors import EngineError
from agenteval.records import (
    ANSWER,
    MASKED,
    PATCH,
    Arm,
    AttemptRow,
    Outcome,
    Status,
    TaskRow,
    TrialBlock,
    decide,
    digest,
    is_held,
    is_infrastructure,
    score,
)
from agenteval.suite import LoadedTask

# sensors that look at the change or its grading; the others looked at the agent's workspace
SENSED_AGAIN = frozenset(
    {"tests_edited", "protected_edited", "hidden_path_guessed", "test_runner_shadowed", "verdict_forged"}
)  # fmt: skip


def standing(blocks: Sequence[TrialBlock], gradable: Iterable[bool]) -> TrialBlock:
    """The attempt of a trial that is graded again: the one that counts.

    Where none counts it is the first whose work was kept, so that a machinery that failed while
    grading costs no second agent; else the last.
    """
    for block in blocks:
        row = block.attempt
        if is_held(row.status, row.error_class) and not is_infrastructure(row.status, row.passed):
            return block
    kept = (block for block, works in zip(blocks, gradable, strict=True) if works)
    return next(kept, blocks[-1])


def refusal(row: AttemptRow, folder: Path, task: LoadedTask) -> Refused | None:
    """Why an attempt cannot be graded again, as far as its record and artifacts tell.

    Parameters
    ----------
    folder
        Folder of the attempt's artifacts.
    """
    if row.status == Status.SKIPPED:
        return Refused(row, f"it was not carried out: {row.error_class}", lost=False)
    if not (folder / PATCH).is_file() or (folder / PATCH).is_symlink():
        lost = not is_infrastructure(row.status, row.passed)
        why = (
            "its patch is not among its artifacts" if lost else f"it has no work: {row.error_class}"
        )
        return Refused(row, why, lost=lost)
    try:
        masked = {PATCH, ANSWER} & masked_files(folder)
    except (ValueError, TypeError):
        return Refused(row, f"its {MASKED}, which names what was masked, is damaged", lost=True)
    if masked:
        why = f"its {min(masked)} held a secret and was masked, so it is not what the agent left"
        return Refused(row, why, lost=True)
    if row.ended_by in (None, "infrastructure", "cancelled"):
        return Refused(row, "its record does not say who ended the agent's run", lost=True)
    asks = any("answer" in check.sources for check in task.task.checks)
    if asks and not (folder / ANSWER).is_file():
        return Refused(row, "its answer is not among its artifacts", lost=True)
    return None


def digest_after(task: LoadedTask, planned: TaskRow) -> str:
    """Digest of the task that a regraded trial is a result of.

    That is today's where only the grading changed. Where the agent was given something else then,
    or nobody knows, it is one that no other task has: such trials are not paired with new ones.
    """
    if planned.task_digest == task.digest:
        return task.digest
    if planned.given_digest is not None and planned.given_digest == task.given_digest:
        return task.digest
    return digest("regraded", planned.task_digest, task.digest)


def grade_again(
    block: TrialBlock,
    task: LoadedTask,
    artifacts: Path,
    around: Surroundings,
    *,
    task_digest: str,
    times: int = 1,
    arm: Arm | None = None,
) -> list[TrialResult] | Refused:
    """Grade a stored attempt `times` times, each in fresh copies; or say why it cannot be.

    Nothing the agent left is executed but by the checks, in their sandbox.

    Parameters
    ----------
    artifacts
        Folder of the attempt's artifacts, which are only read.
    task_digest
        Digest to record.
    arm
        Arm of the attempt, whose variant laid files into its workspace.
    """
    row = block.attempt
    folder = around.scratch / "regraded" / f"{row.trial_id}-{row.attempt}"
    try:
        around = replace(around, sandbox=around.sandbox_of(task))
        missing = around.sandbox.missing(task.task.requires)
        if missing:
            return Refused(row, f"its checks need {', '.join(missing)}, not on PATH", lost=True)
        remove(folder)
        base = around.bases.get(task, around.sandbox, around.cancel)
        start = start_of(task, base, folder, around, arm)
        patch = patch_then(artifacts)
        frozen, answer = thaw(patch, start, folder), answer_then(artifacts)
        grading = partial(
            grade,
            task,
            start,
            frozen.tree,
            work_of(
                frozen,
                answer,
                store=start.store,
                traces=traces_then(artifacts),
                handed=None if arm is None else handed_by(arm),
                metered=metered_then(row, artifacts),
            ),
            sandbox=around.sandbox,
            folder=folder / "grading",
            hidden=(*around.hidden, around.scratch),
            cancel=around.cancel,
        )
        judging = Judging(
            patch, tools_then(artifacts), row.model_used or row.model, around.judge_cache
        )
        found = [
            with_judges(steadily(grading, around.cancel), task, answer, judging, around.cancel)
            for _ in range(times)
        ]
    except (OSError, EngineError) as error:
        told = error.what if isinstance(error, EngineError) else f"{type(error).__name__}: {error}"
        return Refused(row, told, lost=True)
    finally:
        remove(folder)
    sensed = sensed_in_change(task.task, task.hidden, change_of(start, frozen))
    return [_result(row, task, frozen, graded, sensed, task_digest) for graded in found]


def start_of(
    task: LoadedTask, base: TaskBase, folder: Path, around: Surroundings, arm: Arm | None = None
) -> Snapshot:
    """Start snapshot of a task, as its agent got it: after setup; in a store of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    objects = folder / "objects"
    if not task.task.setup and not lays_files(arm):
        return replace(base.start, store=base.start.store.extended(objects))
    box = task_box(task, folder / "setup", hidden=(*around.hidden, around.scratch))
    mounted = copy_workspace(base, box.workspace)

    def setup() -> None:
        if arm is not None:
            lay_variant(arm, box.workspace)
        run_setup(task.task, around.sandbox, box, around.cancel)

    return start_snapshot(
        base,
        box.workspace,
        objects,
        setup,
        mounted=mounted,
    )


def _result(
    row: AttemptRow,
    task: LoadedTask,
    frozen: Frozen,
    graded: Graded,
    sensed: frozenset[str],
    task_digest: str,
) -> TrialResult:
    verdicts, grading = graded.verdicts, row.grading + 1
    outcome = decide(
        ended_by=row.ended_by,
        checks_passed=[v.passed for v in verdicts if v.passed is not None],
        check_errors=[v.error_class or "check_no_verdict" for v in verdicts if v.passed is None],
    )
    seen_then = {name for name in row.tampering or () if name not in SENSED_AGAIN}
    values = {
        "grading": grading,
        "task_digest": task_digest,
        "status": outcome.status,
        "passed": outcome.passed,
        "score": score([v.score for v in verdicts], [c.weight for c in task.task.checks]),
        "error_class": outcome.error_class,
        "error_message": _message(row, outcome, graded),
        "grade_s": graded.grade_s,
        "tampering": in_order(seen_then | sensed | graded.tampering),
        "protected_edits": frozen.protected_edits(task.task.protected),
        "lint_failures": graded.lint_failures,
        "shortcuts": graded.shortcuts,
        "judge_cost_usd": _judged_cost(row, graded),
    }
    if row.files_changed is None:  # the machinery failed before it was counted
        values |= {
            "files_changed": len(frozen.paths),
            "lines_added": frozen.lines_added,
            "lines_removed": frozen.lines_removed,
        }
    checks = check_rows(
        task,
        graded,
        run_id=row.run_id,
        trial_id=row.trial_id,
        attempt=row.attempt,
        grading=grading,
    )
    after = row.model_copy(update=values)
    return TrialResult(after, checks, graded.outputs | judgment_artifacts(graded.judged, after))


def _judged_cost(row: AttemptRow, graded: Graded) -> float | None:
    """What all judging of the attempt cost: what was paid before stays paid."""
    now = judge_cost(graded.judged.values())
    if not graded.judged:
        return row.judge_cost_usd
    asked_before = row.judge_cost_usd is not None
    return now if now is None or not asked_before else now + (row.judge_cost_usd or 0.0)


def _message(row: AttemptRow, outcome: Outcome, graded: Graded) -> str | None:
    if outcome.error_class is None:
        return None
    unclear = next((v.detail for v in graded.verdicts if v.passed is None), None)
    if unclear:
        return unclear.splitlines()[0][:500]
    if outcome.error_class == row.error_class:
        return row.error_message
    if outcome.error_class == "crash":
        return crash_message(row.exit_code, row.stop_reason)
    return f"the agent was stopped by {outcome.error_class} after {row.agent_s or 0:.1f} s"
