"""A plan carried out: progress, sealing, the scoreboard, what to do next, the exit code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agenteval.cli.alarms import alarms
from agenteval.cli.output import count, print_json, records_of, say
from agenteval.cli.progress import show_progress

if TYPE_CHECKING:
    from agenteval.engine import Plan, RunResult, Settings
    from agenteval.lab import Reused


def carry_out(
    plan: Plan,
    settings: Settings,
    *,
    json: bool = False,
    control: tuple[str, str] | None = None,
) -> int:
    """Run, seal, print; returns the exit code.

    Parameters
    ----------
    control
        Run whose trials are taken over where they fit, and how old these may be.
    """
    import agenteval as ae
    from agenteval.engine import run_plan
    from agenteval.records import HOLDOUT
    from agenteval.store import seal

    reused = None if control is None else _reuse(plan, settings, control, json=json)
    if reused is not None and any(result.interrupted for result in reused.results):
        return 130
    if reused is not None and settings.limits.cost_usd is not None:
        left = max(settings.limits.cost_usd - reused.spent_usd, 1e-9)
        settings = replace(settings, limits=replace(settings.limits, cost_usd=left))
    with show_progress(quiet=json) as progress:
        result = run_plan(plan, settings, progress)
    seal(settings.store, [plan.run_id])
    store = ae.open_store(settings.store)
    trials = store.trials(run=plan.run_id)
    if len(trials) and (trials["split"] == HOLDOUT).all():
        trials = store.holdout(run=plan.run_id)  # asked for by running nothing else
    board = ae.scoreboard(trials) if len(trials) else None
    told, empty = alarms(trials)
    told += _of_judges(store, plan.run_id)
    if json:
        print_json({**_summary(plan, result, board), "reused": _facts(reused), "alarms": told})
    else:
        if board is not None:
            print(board)
        _say_what_next(plan, settings, result)
    for text in told:
        say(f"warning: {text}")
    return _exit_code(result, empty=empty)


def _of_judges(store: Any, run_id: str) -> list[str]:
    """What a reader has to know of the run's judges."""
    from agenteval.comparison import judge_health

    judgments = store.judgments(run=run_id)
    return list(judge_health(judgments).notes) if len(judgments) else []


def _reuse(plan: Plan, settings: Settings, control: tuple[str, str], *, json: bool) -> Reused:
    from agenteval.lab import reuse_control

    source, max_age = control
    with show_progress(quiet=json) as progress:
        reused = reuse_control(plan, settings, source, max_age=max_age, progress=progress)
    say(f"{count(reused.trials, 'trial')} taken over from run {source}, not paid for again")
    for drift in reused.drift:
        say(f"warning: {drift}" if drift.drifted else str(drift))
    return reused


def _facts(reused: Reused | None) -> dict[str, Any] | None:
    if reused is None:
        return None
    return {
        "run_id": reused.source,
        "trials": reused.trials,
        "arms": list(reused.arms),
        "drift": [
            {
                "arm": drift.arm,
                "run_id": drift.run_id,
                "drifted": drift.drifted,
                "told": str(drift),
            }
            for drift in reused.drift
        ],
    }


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
