"""A plan carried out: progress, sealing, the scoreboard, what to do next, the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agenteval.cli.alarms import alarms
from agenteval.cli.output import count, print_json, records_of, say
from agenteval.cli.progress import show_progress
from agenteval.records import HOLDOUT

if TYPE_CHECKING:
    from agenteval.engine import Plan, RunResult, Settings


def carry_out(plan: Plan, settings: Settings, *, json: bool = False) -> int:
    """Run, seal, print; returns the exit code."""
    import agenteval as ae
    from agenteval.engine import run_plan
    from agenteval.store import seal

    with show_progress(quiet=json) as progress:
        result = run_plan(plan, settings, progress)
    seal(settings.store, [plan.run_id])
    store = ae.open_store(settings.store)
    trials = store.trials(run=plan.run_id)
    if len(trials) and (trials["split"] == HOLDOUT).all():
        trials = store.holdout(run=plan.run_id)  # asked for by running nothing else
    board = ae.scoreboard(trials) if len(trials) else None
    told, empty = alarms(trials)
    if json:
        print_json({**_summary(plan, result, board), "alarms": told})
    else:
        if board is not None:
            print(board)
        _say_what_next(plan, settings, result)
    for text in told:
        say(f"warning: {text}")
    return _exit_code(result, empty=empty)


def _exit_code(result: RunResult, *, empty: bool) -> int:
    """130 interrupted, 2 an arm could not be run, 1 stopped by its budget or nothing to show."""
    if result.interrupted:
        return 130
    if result.paused:
        return 2
    return int(result.short is not None or empty)


def _summary(plan: Plan, result: RunResult, board: Any) -> dict[str, Any]:
    return {
        "run_id": plan.run_id,
        "planned": plan.size,
        "held_before": result.held_before,
        "written": len(result.attempts),
        "interrupted": result.interrupted,
        "stopped_short": result.short,
        "paused": result.paused,
        "rounds": result.rounds,
        "notes": result.notes,
        "scoreboard": [] if board is None else records_of(board.table),
    }


def _say_what_next(plan: Plan, settings: Settings, result: RunResult) -> None:
    again = f"the same command and --run-id {plan.run_id}"
    rounds = f"{result.rounds} of {count(plan.repeats, 'round')} complete"
    for arm, reason in result.paused.items():
        say(f"arm {arm} was paused: {reason}; when that is mended, resume with {again}")
    if result.interrupted:
        say(f"interrupted, {rounds}; resume with {again}")
    elif result.short is not None:
        say(f"stopped short, {rounds}: {result.short}; resume with {again} and a larger budget")
    if not result.interrupted:
        say(f"report: agenteval report --run {plan.run_id} --store {settings.store}")
