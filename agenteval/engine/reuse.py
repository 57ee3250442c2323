"""Records of another run taken over, so that an arm already measured is not paid for again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.journal import JournalWriter
from agenteval.engine.manifest import settle_manifest
from agenteval.engine.plan import Plan, remaining
from agenteval.engine.scratch import remove
from agenteval.engine.spec import TrialSpec
from agenteval.records import (
    AttemptRow,
    CheckRow,
    RunFolder,
    RunManifest,
    TrialBlock,
    read_journal,
    sync_tree,
)

Place = tuple[str, str, int]


@dataclass(frozen=True)
class TakenOver:
    """What was taken over: task ids by arm label, and the number of trials."""

    tasks: Mapping[str, frozenset[str]]
    trials: int


def take_over(
    plan: Plan,
    manifest: RunManifest,
    target: RunFolder,
    source: RunFolder,
    trial_ids: Iterable[str],
) -> TakenOver:
    """Write trials of another run into this one where the plan has the same trial.

    The same trial is one of the same task, arm (both by digest) and repeat. What the run holds
    already stays as it is.

    Parameters
    ----------
    manifest
        Of this run, in case it is new.
    trial_ids
        Trials of `source` that may be taken over: those that count.

    Raises
    ------
    RunLocked, InvalidInput
        As `run_plan`.
    """
    allowed = set(trial_ids)
    found: dict[Place, TrialBlock] = {}
    for block in read_journal(source.journal).blocks:
        row = block.attempt
        if row.trial_id in allowed and row.passed is not None:
            found.setdefault((row.task_digest, row.arm_digest, row.repeat), block)
    taken: dict[str, set[str]] = {}
    blocks: list[TrialBlock] = []
    if not any((s.task.digest, s.arm.digest, s.repeat) in found for s in plan.trials()):
        return TakenOver({}, 0)  # and no run is begun
    with JournalWriter(target) as journal:
        settle_manifest(target, manifest)
        for spec in remaining(plan, journal.held):
            same = found.get((spec.task.digest, spec.arm.digest, spec.repeat))
            if same is None or same.attempt.sandbox != manifest.run.sandbox:
                continue
            _copy_artifacts(same.attempt, source, target, spec)
            blocks.append(_as_own(same, spec))
            taken.setdefault(spec.arm_label, set()).add(spec.task.task.id)
        journal.append_blocks(blocks)
    return TakenOver({arm: frozenset(tasks) for arm, tasks in taken.items()}, len(blocks))


def _as_own(block: TrialBlock, spec: TrialSpec) -> TrialBlock:
    """The block as this run's, its first attempt and first grading."""
    row = block.attempt
    own = {"run_id": spec.run_id, "trial_id": spec.trial_id, "attempt": spec.attempt, "grading": 1}
    attempt: AttemptRow = row.model_copy(
        update={**own, "arm": spec.arm_label, "sequence": None, "reused_from": row.run_id}
    )
    old, new = row.trial_id, spec.trial_id
    checks: list[CheckRow] = [
        check.model_copy(
            update={
                **own,
                "output": None
                if check.output is None
                else _moved(
                    check.output,
                    f"{old}/attempt-{row.attempt}",
                    row.grading,
                    f"{new}/attempt-{spec.attempt}",
                ),
            }
        )
        for check in block.checks
    ]
    return TrialBlock(attempt, tuple(checks))


def _moved(output: str, old: str, grading: int, new: str) -> str:
    moved = output.replace(old, new, 1)
    return moved if grading == 1 else moved.replace(f"grading-{grading}/", "", 1)


def _copy_artifacts(row: AttemptRow, source: RunFolder, target: RunFolder, spec: TrialSpec) -> None:
    """The attempt's artifacts, with those of its newest grading in the place of the first."""
    old = source.attempt(row.trial_id, row.attempt)
    new = target.attempt(spec.trial_id, spec.attempt)
    remove(new)
    if not old.is_dir():
        return
    shutil.copytree(old, new, symlinks=True, ignore=shutil.ignore_patterns("grading-*"))
    if row.grading > 1:
        graded: Path = source.grading(row.trial_id, row.attempt, row.grading)
        shutil.copytree(graded, new, symlinks=True, dirs_exist_ok=True)
    sync_tree(new)
