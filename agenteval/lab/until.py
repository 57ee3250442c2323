"""Rounds of new random tasks until a rule is settled, or the tasks are used up."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pandas as pd

from agenteval.engine import Plan, Progress, RunResult, Settings, run_plan
from agenteval.errors import InvalidInput
from agenteval.lab.decide import Decision, decide
from agenteval.lab.rule import Rule
from agenteval.store import open_store, seal


@dataclass
class UntilResult:
    """What a sequential run did.

    Attributes
    ----------
    decision
        The answer so far; None when not even one round could be looked at.
    run_ids
        One run a round, in order.
    results
        What each round's call of the engine did.
    stopped
        Why it ended: `decided`, `tasks used up`, `interrupted`, `budget used up`, `arm paused`.
    """

    decision: Decision | None = None
    run_ids: list[str] = field(default_factory=list)
    results: list[RunResult] = field(default_factory=list)
    stopped: str = "tasks used up"


def rounds_of(plan: Plan, *, round_tasks: int = 10) -> list[Plan]:
    """Cut a plan into rounds of new tasks in an order drawn from its seed.

    Every round is a run of its own (`ID.1`, `ID.2`, ...) with all repeats and all arms of its tasks;
    the same plan gives the same rounds, so an interrupted one is resumed.

    Parameters
    ----------
    plan
        The whole plan.
    round_tasks
        Tasks a round.

    Raises
    ------
    InvalidInput
        For less than one task a round.
    """
    if round_tasks < 1:
        what = f"{round_tasks} tasks a round are none"
        raise InvalidInput(what, "--round-tasks", "give a number of at least 1")
    tasks = list(plan.tasks)
    random.Random(f"{plan.seed}:until").shuffle(tasks)
    return [
        replace(
            plan,
            run_id=f"{plan.run_id}.{number}",
            tasks=tuple(tasks[start : start + round_tasks]),
        )
        for number, start in enumerate(range(0, len(tasks), round_tasks), 1)
    ]


def run_until(
    plan: Plan,
    settings: Settings,
    rule: Rule,
    *,
    round_tasks: int = 10,
    progress: Progress | None = None,
    told: Callable[[Decision], None] = lambda decision: None,
) -> UntilResult:
    """Run round after round, and stop at the first look at which the rule is settled.

    Called again with the same plan it goes on where it stopped: rounds that are complete are read,
    not run. A budget in the settings is that of all rounds together.

    Parameters
    ----------
    plan
        Everything that would be run without stopping: its tasks are the pool to draw from.
    settings, progress
        As for `run_plan`, for every round.
    rule
        When to stop.
    round_tasks
        New tasks between two looks.
    told
        Hears every look.

    Raises
    ------
    InvalidInput
        When the rule names an arm that the plan does not have.
    RunLocked, StoreError
        As `run_plan` and the store raise them.
    """
    for arm in (rule.candidate, rule.baseline):
        if arm not in plan.labels:
            what = f"the rule names the arm {arm!r}, which the plan does not have"
            raise InvalidInput(what, f"rule '{rule}'", f"use two of {', '.join(plan.labels)}")
    rounds = rounds_of(plan, round_tasks=round_tasks)
    order = [task.task.id for part in rounds for task in part.tasks]
    found = UntilResult()
    for part in rounds:
        left = _left(settings, found.run_ids)
        if left is None:
            found.stopped = "budget used up"
            break
        result = run_plan(part, left, progress)
        found.run_ids.append(part.run_id)
        found.results.append(result)
        seal(settings.store, [part.run_id])
        stopped = _why_stopped(result)
        trials = open_store(settings.store).trials(run=found.run_ids)
        if set(trials["arm"]) >= {rule.candidate, rule.baseline}:
            found.decision = decide(
                trials,
                rule,
                order=order,
                round_tasks=round_tasks,
                planned_tasks=len(plan.tasks),
                repeats=plan.repeats,
            )
            told(found.decision)
        if stopped:
            found.stopped = stopped
            break
        if found.decision is not None and found.decision.decided:
            found.stopped = "decided"
            break
    return found


def _why_stopped(result: RunResult) -> str | None:
    if result.interrupted:
        return "interrupted"
    if result.short is not None:
        return "budget used up"
    return "arm paused" if result.paused else None


def _left(settings: Settings, run_ids: list[str]) -> Settings | None:
    """Give a round what the rounds before it left of the budget; None when nothing is left."""
    limits = settings.limits
    if not run_ids or not limits.recorded:
        return settings
    rows = open_store(settings.store).attempts(run=run_ids)
    cost, minutes = limits.cost_usd, limits.minutes
    if cost is not None:
        cost -= float(rows["cost_usd"].sum())
    if minutes is not None:
        ended = rows["started_at"] + pd.to_timedelta(rows["duration_s"].fillna(0), unit="s")
        spans = rows.assign(ended=ended).groupby("run_id")
        took = spans["ended"].max() - spans["started_at"].min()
        minutes -= float(took.dt.total_seconds().sum()) / 60
    if (cost is not None and cost <= 0) or (minutes is not None and minutes <= 0):
        return None
    return replace(settings, limits=replace(limits, cost_usd=cost, minutes=minutes))
