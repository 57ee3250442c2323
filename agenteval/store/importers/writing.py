"""The one writer of imported runs: all of them appear in the store, or none."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from agenteval.errors import ForeignFormatError, StoreError
from agenteval.records import (
    ArmRow,
    AttemptRow,
    CheckRow,
    RunFolder,
    RunManifest,
    RunRow,
    StoreFolder,
    TaskRow,
    arm_labels,
    digest,
    encode_block,
    score,
    sync_folder,
    trial_id,
)
from agenteval.store.importers.drafts import RunDraft, TaskDraft, TrialDraft


def run_id_for(name: str) -> str:
    """Turn a proposed name into one that can be a folder's."""
    return re.sub(r"[^A-Za-z0-9._+=-]+", "-", name).strip(".-") or "imported"


def imported_origins(folder: StoreFolder) -> dict[str, str]:
    """Run id by origin, of all runs in the store that were imported."""
    origins = {}
    for path in sorted(folder.runs.glob("*/run.json")):
        try:
            data = json.loads(path.read_bytes())
            if str(data["run"]["source"]).startswith("import:"):
                origins[str(data["plan_digest"])] = str(data["run"]["run_id"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return origins


def write_runs(folder: StoreFolder, runs: dict[str, RunDraft], source: str) -> None:
    """Write all runs beside the store's, then move them in.

    Raises
    ------
    StoreError
        When the store cannot be written; nothing is left behind.
    ForeignFormatError
        When a value does not fit its column.
    """
    moved: list[Path] = []
    staging = folder.path / f".import-{uuid4().hex[:12]}"
    try:
        folder.create()
        for run_id, draft in runs.items():
            _write_run(RunFolder(staging / run_id), run_id, draft, source)
        for run_id in runs:
            (staging / run_id).rename(folder.run(run_id).path)
            moved.append(folder.run(run_id).path)
        sync_folder(folder.runs)
    except BaseException as error:
        for path in moved:
            shutil.rmtree(path, ignore_errors=True)
        if isinstance(error, OSError):
            raise StoreError(
                "The store cannot be written; nothing was imported",
                f"{folder.path}: {error}",
                "make the folder writable and leave room on the disk",
            ) from error
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write_run(folder: RunFolder, run_id: str, draft: RunDraft, source: str) -> None:
    folder.path.mkdir(parents=True)
    try:
        manifest = _manifest(run_id, draft, source)
        blocks = [_block(manifest, draft, trial) for trial in draft.trials]
    except ValidationError as error:
        first = error.errors()[0]
        raise ForeignFormatError(
            "The results cannot be imported; nothing was written",
            f"{draft.file}, field {'.'.join(map(str, first['loc']))}: {first['msg']}",
            "mend the file",
        ) from error
    with folder.journal.open("wb") as journal:
        journal.writelines(blocks)
        journal.flush()
        os.fsync(journal.fileno())
    manifest.write(folder.manifest)


def _manifest(run_id: str, draft: RunDraft, source: str) -> RunManifest:
    tasks: dict[str, TaskDraft] = {}
    for trial in draft.trials:
        tasks.setdefault(trial.task.task_id, trial.task)
    arm = draft.arm
    return RunManifest(
        run=RunRow(
            run_id=run_id,
            suite=draft.suite,
            source=source,
            created_at=draft.created_at,
            repeats=max(trial.repeat for trial in draft.trials),
            planned_trials=draft.recorded,
            concurrency=draft.concurrency,
        ),
        tasks=[
            TaskRow(
                run_id=run_id,
                suite=draft.suite,
                task_id=task.task_id,
                task_digest=digest(*task.contents),
                tags=list(task.tags),
                prompt=task.prompt,
                pass_policy=task.pass_policy,
            )
            for task in tasks.values()
        ],
        arms=[
            ArmRow(
                run_id=run_id,
                arm=arm_labels([arm])[0],
                arm_digest=arm.digest,
                agent=arm.agent,
                agent_version=arm.agent_version,
                model=arm.model,
                variant=arm.variant,
            )
        ],
        plan_digest=draft.origin,
    )


def _block(manifest: RunManifest, draft: RunDraft, trial: TrialDraft) -> bytes:
    run_id, suite = manifest.run.run_id, draft.suite
    arm = manifest.arms[0]
    own_id = trial_id(run_id, suite, trial.task.task_id, arm.arm_digest, trial.repeat)
    checks = [
        CheckRow(
            run_id=run_id,
            trial_id=own_id,
            seq=seq,
            name=check.name,
            kind=check.kind or manifest.run.source.removeprefix("import:"),
            passed=check.passed,
            score=check.score,
            weight=check.weight,
            error_class=check.error_class,
            detail=check.detail,
        )
        for seq, check in enumerate(trial.checks, start=1)
    ]
    attempt = AttemptRow(
        run_id=run_id,
        trial_id=own_id,
        suite=suite,
        task_id=trial.task.task_id,
        task_digest=digest(*trial.task.contents),
        arm=arm.arm,
        arm_digest=arm.arm_digest,
        agent=arm.agent,
        agent_version=arm.agent_version,
        model=arm.model,
        variant=arm.variant,
        repeat=trial.repeat,
        status=trial.outcome.status,
        passed=trial.outcome.passed,
        score=score([c.score for c in checks], [c.weight for c in checks]) if checks else None,
        error_class=trial.outcome.error_class,
        **trial.values,
    )
    return encode_block(attempt, checks)
