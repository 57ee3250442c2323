"""What is refused before anything is spent: arms that a task's checks could say nothing about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agenteval.agents import applied_keys
from agenteval.engine.model_source import source_of
from agenteval.engine.variants import handed_by
from agenteval.errors import InvalidInput
from agenteval.records import Arm, LoadsCheck, MeteredCheck
from agenteval.suite import LoadedTask

if TYPE_CHECKING:
    from agenteval.gateway import Upstream


CLOCK = frozenset({"duration_s"})
COUNTS = frozenset({"turns", "tool_calls", "tokens", "tools", "used"})


def metered_records(arm: Arm, upstreams: Sequence[Upstream] = ()) -> frozenset[str]:
    """Which of the records that checks can need are measured for an arm, not told by its agent.

    The clock is the engine's whoever works; counts need the gateway, and a cost a model that has
    a price.
    """
    source = source_of(arm.model, upstreams)
    if source is None:
        return CLOCK
    return CLOCK | COUNTS | ({"cost_usd"} if source.kind == "provider" else set())


def check_arms(
    tasks: Iterable[LoadedTask], arms: Iterable[Arm], upstreams: Sequence[Upstream] = ()
) -> None:
    """Refuse arms that cannot be compared on these tasks.

    Raises
    ------
    InvalidInput
        When an agent would not apply a part of its variant, when a check needs a record that
        nobody meters for an arm, or when a variant does not hand over what a check says it loads.
    """
    chosen = list(tasks)
    for arm in arms:
        _refuse_unapplied(arm)
        _refuse_faults_of_nothing(arm, upstreams)
        metered, handed = metered_records(arm, upstreams), handed_by(arm)
        for task in chosen:
            for check in task.task.checks:
                if isinstance(check, MeteredCheck) and check.needs not in metered:
                    raise InvalidInput(
                        f"The check {check.name!r} needs {check.needs} to be metered, and nobody meters the arm {arm.full_label}: what an agent says of itself decides nothing",
                        f"task {task.id}, check {check.name}, arm {arm.full_label}",
                        "run this arm through a model gateway, or take the check out of the task",
                    )
                if isinstance(check, LoadsCheck) and handed is not None:
                    _refuse_unloaded(check, handed, task, arm)


def without_unmetered(task: LoadedTask) -> LoadedTask:
    """The task without checks that a scripted solution can say nothing about, unless it has no others."""
    metered = metered_records(Arm(agent_spec="scripted:noop"))
    checks = [
        check
        for check in task.task.checks
        if not isinstance(check, MeteredCheck) or check.needs in metered
    ]
    if not checks or len(checks) == len(task.task.checks):
        return task
    return replace(task, task=task.task.model_copy(update={"checks": checks}))


def _refuse_unloaded(check: LoadsCheck, handed: frozenset[str], task: LoadedTask, arm: Arm) -> None:
    missing = [name for name in check.names if name not in handed]
    if missing:
        raise InvalidInput(
            f"The variant {arm.variant} hands over no {', '.join(missing)}, which the check {check.name!r} says it loads; it hands over {', '.join(sorted(handed))}",
            f"task {task.id}, check {check.name}, arm {arm.full_label}",
            "add the skill, plugin or MCP server to the variant, or run the arm without one as the control",
        )


def _refuse_faults_of_nothing(arm: Arm, upstreams: Sequence[Upstream]) -> None:
    faults = None if arm.overlay is None else arm.overlay.faults
    if faults is not None and source_of(arm.model, upstreams) is None:
        raise InvalidInput(
            f"The variant {arm.variant} plants faults between the agent and its model, and {arm.full_label} has no model that is reached through the gateway",
            f"--agent {arm.agent_spec} --variant {arm.variant}",
            "add --model, or take `faults` out of the variant",
        )


def _refuse_unapplied(arm: Arm) -> None:
    if arm.overlay is None:
        return
    unapplied = sorted(arm.overlay.keys - applied_keys(arm.agent_spec))
    if unapplied:
        raise InvalidInput(
            f"The agent {arm.agent} does not apply {', '.join(f'`{key}`' for key in unapplied)} of the variant {arm.variant}",
            f"--agent {arm.agent_spec} --variant {arm.variant}",
            "take them out of the variant, or use an agent that applies them",
        )
