"""The manifest of a run, from its plan; and the check that a resumed run is the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agenteval.engine.model_access import ModelAccess
from agenteval.engine.model_source import source_of
from agenteval.engine.plan import Plan
from agenteval.engine.rows import provenance
from agenteval.errors import InvalidInput
from agenteval.records import (
    ArmRow,
    RunFolder,
    RunManifest,
    RunRow,
    TaskRow,
    read_manifest,
)
from agenteval.sandbox import limits_in_force
from agenteval.suite import LoadedTask

if TYPE_CHECKING:
    from agenteval.gateway import Upstream

# Limits that only somebody between agent and model can hold; said at the start of a run without it.
HELD_BY_GATEWAY = ("max_cost_usd", "max_turns", "max_tokens", "max_requests")


def unenforced_limits(plan: Plan, upstreams: Sequence[Upstream] = ()) -> list[str]:
    """Limits that tasks of the plan name and that nothing holds, for some arm has no gateway."""
    if all(source_of(arm.model, upstreams) is not None for arm in plan.arms):
        return []
    return [
        name
        for name in HELD_BY_GATEWAY
        if any(getattr(task.task, name) is not None for task in plan.tasks)
    ]


def manifest_of(
    plan: Plan,
    *,
    sandbox: str,
    concurrency: int,
    command: str | None,
    suite_path: Path | None,
    budget: Mapping[str, float] | None = None,
    models: ModelAccess | None = None,
) -> RunManifest:
    """Describe a plan as run.json does."""
    models = models or ModelAccess()
    run = RunRow(
        run_id=plan.run_id,
        suite=plan.suite,
        created_at=datetime.now(UTC),
        seed=plan.seed,
        repeats=plan.repeats,
        planned_trials=plan.size,
        concurrency=concurrency,
        sandbox=sandbox,
        command=command,
        **provenance(),
    )
    return RunManifest(
        run=run,
        tasks=[_task_row(plan, task) for task in plan.tasks],
        arms=[
            ArmRow(
                run_id=plan.run_id,
                arm=label,
                arm_digest=arm.digest,
                agent=arm.agent,
                agent_version=arm.agent_version,
                model=arm.model,
                variant=arm.variant,
            )
            for arm, label in zip(plan.arms, plan.labels, strict=True)
        ],
        planned_arms=list(plan.arms),
        plan_digest=plan.digest,
        budget=dict(budget or {}),
        limits={
            "not_enforced": unenforced_limits(plan, models.upstreams),
            "enforced_by": limits_in_force(),
        },
        models=models.recorded,
        dimensions=list(dict.fromkeys(d for task in plan.tasks for d in task.dimensions)),
        suite_path=None if suite_path is None else str(suite_path),
    )


def settle_manifest(folder: RunFolder, manifest: RunManifest) -> RunManifest:
    """Write the manifest of a new run; for a resumed one, check that the plan is the same.

    Raises
    ------
    InvalidInput
        When the run on disk has other tasks, arms, repeats or seed; names what differs.
    """
    if not folder.manifest.exists():
        manifest.write(folder.manifest)
        return manifest
    before = read_manifest(folder.manifest)
    if before.plan_digest != manifest.plan_digest:
        raise InvalidInput(
            f"The run {before.run.run_id} was planned otherwise: {_difference(before, manifest)}",
            str(folder.manifest),
            "use another --run-id, or the command that started it"
            + (f": {before.run.command}" if before.run.command else ""),
        )
    if before.passed_variables != manifest.passed_variables:
        names = " ".join(f"--pass-env {name}" for name in before.passed_variables)
        raise InvalidInput(
            f"The run {before.run.run_id} was started {f'with {names}' if names else 'without --pass-env'}: its agents had other variables",
            str(folder.manifest),
            "resume with the same variables, or use another --run-id",
        )
    return before


def _difference(before: RunManifest, now: RunManifest) -> str:
    parts = []
    old, new = ({t.task_id: t.task_digest for t in m.tasks} for m in (before, now))
    changed = sorted(task for task in old.keys() & new.keys() if old[task] != new[task])
    for label, names in (
        ("tasks changed", changed),
        ("tasks gone", sorted(old.keys() - new.keys())),
        ("tasks added", sorted(new.keys() - old.keys())),
    ):
        if names:
            parts.append(f"{label}: {', '.join(names[:5])}")
    arms_before, arms_now = ({arm.arm_digest: arm.arm for arm in m.arms} for m in (before, now))
    if arms_before.keys() != arms_now.keys():
        were, are = sorted(arms_before.values()), sorted(arms_now.values())
        parts.append(
            f"arms were {', '.join(were)}, now {', '.join(are)}"
            if were != are
            else f"a program's version, a script or a declared file of an arm is another one: {', '.join(arms_now[key] for key in arms_now.keys() - arms_before.keys())}"
        )
    for name in ("repeats", "seed", "suite"):
        a: Any = getattr(before.run, name)
        b: Any = getattr(now.run, name)
        if a != b:
            parts.append(f"{name} was {a}, now {b}")
    return "; ".join(parts) or "something in the plan"


def _task_row(plan: Plan, loaded: LoadedTask) -> TaskRow:
    task = loaded.task
    return TaskRow(
        run_id=plan.run_id,
        suite=plan.suite,
        task_id=task.id,
        task_digest=loaded.digest,
        given_digest=loaded.given_digest or None,
        title=task.title,
        kind=task.kind,
        category=task.category,
        difficulty=task.difficulty,
        language=task.language or None,
        split=task.split,
        tags=task.tags,
        prompt=loaded.prompt,
        timeout_s=task.timeout_s,
        checks=len(task.checks),
        pass_policy=task.pass_policy,
    )
