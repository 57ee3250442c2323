"""`agenteval run`: a plan carried out, or resumed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.alarms import alarms
from agenteval.cli.options import (
    AgentOption,
    FilesOption,
    JsonOption,
    ModelOption,
    NoSandboxOption,
    SandboxOption,
    StoreOption,
    SuiteArgument,
    TasksOption,
    arms_of,
    check_run_id,
    concurrency_of,
    new_run_id,
    sandbox_of,
    store_to_write,
    suite_folder,
)
from agenteval.cli.output import count, print_json, print_table, records_of, say
from agenteval.cli.progress import show_progress

if TYPE_CHECKING:
    from agenteval.engine import Plan, RunResult, Settings


def run(
    context: typer.Context,
    suite: SuiteArgument = None,
    *,
    agent: AgentOption = None,
    model: ModelOption = None,
    agent_files: FilesOption = None,
    repeat: Annotated[int, typer.Option("--repeat", help="Trials per task and arm.")] = 1,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", help="Trials at one time; one a core by default.", show_default=False
        ),
    ] = None,
    tasks: TasksOption = None,
    store: StoreOption = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run-id",
            help="Name of the run; the same command with the same name resumes it.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="Seed of the order of trials and of scripted agents.")
    ] = 0,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Leave the workspaces in this folder.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and run nothing.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Run tasks x arms x repeats, or what a run of this id still lacks.

    Example: agenteval run bundled --agent scripted:chance:0.4 --agent scripted:chance:0.7 --repeat 3
    """
    from agenteval.engine import Settings, make_plan
    from agenteval.suite import load_suite

    loaded = load_suite(suite_folder(suite), tasks=tasks or "*")
    plan = make_plan(
        check_run_id(run_id) if run_id else new_run_id(),
        loaded.name,
        loaded.tasks,
        arms_of(agent, model, agent_files),
        repeats=repeat,
        seed=seed,
    )
    settings = Settings(
        store=store_to_write(store),
        sandbox=sandbox_of(sandbox, no_sandbox=no_sandbox),
        concurrency=concurrency_of(concurrency),
        command=shlex.join(["agenteval", *_with_run_id(context.obj or [], plan.run_id)]),
        suite_path=loaded.folder,
        keep=keep,
    )
    if dry_run:
        _show_plan(plan, settings, json=json)
        return
    if not json:
        announce(plan, settings)
    code = carry_out(plan, settings, json=json)
    if code:
        raise typer.Exit(code)


def announce(plan: Plan, settings: Settings) -> None:
    """Say, before anything is spent, what will run and what it can show."""
    from agenteval.engine import unenforced_limits

    say(
        f"run {plan.run_id}: {count(len(plan.tasks), 'task')} x {count(len(plan.arms), 'arm')} x {count(plan.repeats, 'repeat')} = {count(plan.size, 'trial')}, {settings.concurrency} at one time, sandbox {settings.sandbox.name}"
    )
    if not settings.sandbox.isolates:
        say("warning: no isolation: agents and tasks can see and change this machine")
    ignored = unenforced_limits(plan)
    if ignored:
        say(
            f"warning: tasks name limits that this version records but does not enforce: {', '.join(ignored)}"
        )
    if len(plan.arms) > 1:
        say(_what_it_can_show(len(plan.tasks), plan.repeats))


def carry_out(plan: Plan, settings: Settings, *, json: bool = False) -> int:
    """Run, seal, print; returns the exit code."""
    import agenteval as ae
    from agenteval.engine import run_plan
    from agenteval.store import seal

    with show_progress(quiet=json) as progress:
        result = run_plan(plan, settings, progress)
    seal(settings.store, [plan.run_id])
    trials = ae.open_store(settings.store).trials(run=plan.run_id)
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
    return 130 if result.interrupted else int(empty)


def _summary(plan: Plan, result: RunResult, board: Any) -> dict[str, Any]:
    return {
        "run_id": plan.run_id,
        "planned": plan.size,
        "held_before": result.held_before,
        "written": len(result.attempts),
        "interrupted": result.interrupted,
        "notes": result.notes,
        "scoreboard": [] if board is None else records_of(board.table),
    }


def _say_what_next(plan: Plan, settings: Settings, result: RunResult) -> None:
    if result.interrupted:
        say(f"interrupted; resume with the same command and --run-id {plan.run_id}")
    else:
        say(f"report: agenteval report --run {plan.run_id} --store {settings.store}")


def _show_plan(plan: Plan, settings: Settings, *, json: bool) -> None:
    rows = [
        {
            "sequence": n,
            "task": s.task.task.id,
            "arm": s.arm_label,
            "repeat": s.repeat,
            "trial_id": s.trial_id,
        }
        for n, s in enumerate(plan.trials(), 1)
    ]
    if json:
        print_json(
            {
                "run_id": plan.run_id,
                "planned": plan.size,
                "sandbox": settings.sandbox.name,
                "trials": rows,
            }
        )
        return
    announce(plan, settings)
    shown = 40
    print_table(rows[:shown], ["sequence", "task", "arm", "repeat"])
    if len(rows) > shown:
        say(f"... and {len(rows) - shown} more")
    say("nothing was run (--dry-run)")


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


def _with_run_id(arguments: list[str], run_id: str) -> list[str]:
    named = any(
        argument == "--run-id" or argument.startswith("--run-id=") for argument in arguments
    )
    return arguments if named else [*arguments, "--run-id", run_id]
