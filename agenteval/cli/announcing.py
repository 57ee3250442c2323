"""What a plan will do, said before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenteval.cli.output import count, print_json, print_table, say

if TYPE_CHECKING:
    from agenteval.engine import Plan, Settings

SHOWN = 40


def announce(plan: Plan, settings: Settings) -> None:
    """Say, before anything is spent, what will run and what it can show."""
    from agenteval.engine import unenforced_limits

    say(
        f"run {plan.run_id}: {count(len(plan.tasks), 'task')} x {count(len(plan.arms), 'arm')} x {count(plan.repeats, 'repeat')} = {count(plan.size, 'trial')}, {settings.concurrency} at one time, sandbox {settings.sandbox.name}"
    )
    own = sum(task.has_image for task in plan.tasks)
    if own:
        say(f"{count(own, 'task')} in containers of an image of their own")
    if settings.shard is not None:
        say(f"of these, this is part {settings.shard.index} of {settings.shard.count}")
    for task in plan.tasks:
        if task.quarantined is not None:
            say(f"{task.id} is not run: {task.quarantined}")
    for told in _budget(plan, settings):
        say(told)
    if not settings.sandbox.isolates:
        say("warning: no isolation: agents and tasks can see and change this machine")
    ignored = unenforced_limits(plan, settings.models.upstreams)
    if ignored:
        say(
            f"warning: tasks name limits that nobody holds for agents without a metered --model: {', '.join(ignored)}"
        )
    if len(plan.arms) > 1:
        running = sum(task.quarantined is None for task in plan.tasks)
        say(_what_it_can_show(running, plan.repeats))


def show_plan(plan: Plan, settings: Settings, *, json: bool) -> None:
    """Print the order in which trials will start, and run nothing."""
    if settings.shard is not None:
        trials = settings.shard.of(plan, plan.trials())
    else:
        trials = plan.trials() if json else plan.first_trials(SHOWN)
    planned = plan.size if settings.shard is None else settings.shard.size(plan.size)
    rows = [
        {
            "sequence": n,
            "task": s.task.task.id,
            "arm": s.arm_label,
            "repeat": s.repeat,
            "trial_id": s.trial_id,
        }
        for n, s in enumerate(trials, 1)
    ]
    if json:
        print_json(
            {
                "run_id": plan.run_id,
                "planned": planned,
                "sandbox": settings.sandbox.name,
                "trials": rows,
            }
        )
        return
    announce(plan, settings)
    print_table(rows[:SHOWN], ["sequence", "task", "arm", "repeat"])
    if planned > SHOWN:
        say(f"... and {planned - SHOWN} more")
    say("nothing was run (--dry-run)")


def _budget(plan: Plan, settings: Settings) -> list[str]:
    """What the run may cost, and how each trial shares in it."""
    limits, told = settings.limits, []
    if limits.cost_usd is not None:
        share = limits.cost_usd / plan.size
        told.append(
            f"budget: ${limits.cost_usd:.2f} for {count(plan.size, 'trial')}, ${share:.4g} each where a task names no limit of its own"
        )
    if limits.minutes is not None:
        told.append(
            f"budget: {limits.minutes:g} minutes; no trial starts whose own limit does not fit into what is left"
        )
    return told


def _what_it_can_show(tasks: int, repeats: int) -> str:
    """The smallest difference this plan would show, under the assumptions it names."""
    from agenteval.stats import minimum_detectable_effect

    if tasks < 2:
        return (
            "with one task, no difference between arms can be shown: tasks are the independent unit"
        )
    mde = float(
        minimum_detectable_effect(
            tasks=tasks,
            omega2=1 / 9,
            sigma2_a=1 / 6,
            sigma2_b=1 / 6,
            repeats_a=repeats,
            repeats_b=repeats,
        )
    )
    return f"two arms must differ by about {100 * min(1.0, mde):.0f} points of pass rate to be told apart (80 % power; assumes the spread between and within tasks of a typical suite)"
