"""The plan of a run that lies on disk, made again from its manifest, to be carried on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agenteval.agents import make_arm
from agenteval.engine.caps import with_caps
from agenteval.engine.model_access import ModelAccess
from agenteval.engine.plan import Plan, make_plan
from agenteval.errors import InvalidInput
from agenteval.records import Arm, RunFolder, RunManifest, read_manifest
from agenteval.suite import LoadedSuite, load_suite


def suite_of(manifest: RunManifest, folder: RunFolder, suite: Path | None = None) -> LoadedSuite:
    """The suite a run was made of, with its tasks in the order of the plan.

    Parameters
    ----------
    suite
        Where it lies now, when it was moved.

    Raises
    ------
    InvalidInput
        When it is not where it was, or lacks a task.
    """
    named = suite or (Path(manifest.suite_path) if manifest.suite_path else None)
    if named is None or not named.exists():
        raise InvalidInput(
            f"The suite of run {manifest.run.run_id} is not at {named}"
            if named
            else f"Run {manifest.run.run_id} does not say where its suite was",
            str(folder.manifest),
            "name its folder with --suite",
        )
    wanted = [row.task_id for row in manifest.tasks]
    loaded = load_suite(named, tasks=",".join(wanted), judge=manifest.judge)
    found = {task.task.id: task for task in loaded.tasks}
    missing = [name for name in wanted if name not in found]
    if missing:
        raise InvalidInput(
            f"The suite has no task {', '.join(missing)}", str(named), "name the suite with --suite"
        )
    tasks = with_caps((found[name] for name in wanted), manifest.caps)
    return replace(loaded, tasks=tasks)


def plan_of(folder: RunFolder, suite: Path | None = None) -> Plan:
    """The plan of a run on disk.

    Raises
    ------
    InvalidInput
        When its suite or an agent is not what it was: a trial that is tried again must be the
        same trial.
    """
    manifest = read_manifest(folder.manifest)
    if not manifest.planned_arms:
        raise InvalidInput(
            f"Run {manifest.run.run_id} does not say how its agents are started",
            str(folder.manifest),
            "it was imported, or made by an older version; repeat the command that made it",
        )
    loaded = suite_of(manifest, folder, suite)
    arms = [_same_arm(arm, folder) for arm in manifest.planned_arms]
    run = manifest.run
    return make_plan(
        run.run_id,
        loaded.name,
        loaded.tasks,
        arms,
        repeats=run.repeats,
        seed=run.seed,
        upstreams=ModelAccess.of(manifest.models).upstreams if manifest.models else (),
    )


def _same_arm(arm: Arm, folder: RunFolder) -> Arm:
    now = make_arm(
        arm.agent_spec,
        model=arm.model,
        files=tuple(Path(path) for path in arm.files),
        variant=arm.variant,
        overlay=arm.overlay,
    )
    if now.digest != arm.digest:
        raise InvalidInput(
            f"The agent {arm.full_label} is not what it was when the run began: its version or a file of it changed",
            str(folder.manifest),
            "repeat the command in the folder in which the run was started; if the agent did change, make a new run with it",
        )
    return now
