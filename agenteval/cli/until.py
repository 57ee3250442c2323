"""`agenteval run --until`: rounds of new tasks until a claim is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agenteval.cli.output import count, print_json, records_of, say
from agenteval.cli.progress import show_progress
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import Plan, Settings
    from agenteval.lab import Decision, UntilResult


def carry_out_until(
    plan: Plan, settings: Settings, until: str, *, round_tasks: int, json: bool = False
) -> int:
    """Run rounds, print the answer; returns the exit code."""
    from agenteval.lab import parse_rule, run_until

    if settings.shard is not None or settings.again:
        raise InvalidInput(
            "A sequential run is not run in parts",
            "--until with --shard",
            "leave out --shard; --concurrency speeds up a round",
        )
    rule = parse_rule(until)
    fewest = rule.fewest_tasks
    if fewest is None or len(plan.tasks) < fewest:
        least = "more than a thousand" if fewest is None else f"at least {fewest}"
        say(
            f"warning: {count(len(plan.tasks), 'task')} cannot settle whether {rule}, however they "
            f"come out: it takes {least}; `agenteval run` without --until says more with so few"
        )

    def told(decision: Decision) -> None:
        if not json:
            row = decision.table.iloc[-1:].to_dict("records")
            seen = f"{row[0]['tasks']} of {len(plan.tasks)} tasks" if row else "no finished task"
            say(f"looked at {seen}: {decision.answer}")

    with show_progress(quiet=json) as progress:
        found = run_until(
            plan, settings, rule, round_tasks=round_tasks, progress=progress, told=told
        )
    if json:
        print_json(_document(plan, found))
    else:
        if found.decision is not None:
            print(found.decision)
        say(
            f"{found.stopped}: {count(len(found.run_ids), 'round')}, runs {', '.join(found.run_ids)}"
        )
    return {"interrupted": 130, "arm paused": 2, "budget used up": 1}.get(found.stopped, 0)


def _document(plan: Plan, found: UntilResult) -> dict[str, Any]:
    decision = found.decision
    return {
        "run_id": plan.run_id,
        "run_ids": found.run_ids,
        "stopped": found.stopped,
        "answer": None if decision is None else decision.answer,
        "sentence": None if decision is None else decision.verdict,
        "tasks": None if decision is None else decision.tasks,
        "planned_tasks": len(plan.tasks),
        "saved_trials": None if decision is None else decision.saved_trials,
        "saved_usd": None if decision is None else decision.saved_usd,
        "looks": [] if decision is None else records_of(decision.table),
    }
