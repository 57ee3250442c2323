"""`agenteval void`: a trial, a run or a task left out of every rate, with a reason."""

from __future__ import annotations

from typing import Annotated

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import count, print_json, say
from agenteval.errors import InvalidInput


def void(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN|TRIAL", help="Run, or trial id or the start of one.", show_default=False
        ),
    ] = None,
    *,
    reason: Annotated[
        str | None,
        typer.Option(
            "--reason", help="Why; it is shown wherever it is left out.", show_default=False
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            help="Instead of a run or trial: quarantine this task, in all runs of the store.",
            show_default=False,
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite", help="With --task: only in the suite of this name.", show_default=False
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Leave a run, a trial or a task out of every rate; it stays in the history, and so does its cost.

    What is left out is counted wherever a rate is shown. Runs and trials go into the store's
    voids.jsonl, tasks into its quarantine.toml.

    Example: agenteval void 3f9a1c --reason "the fixture server was down"
    """
    import agenteval as ae
    from agenteval.store import quarantine
    from agenteval.store import void as void_it

    if (target is None) == (task is None):
        raise InvalidInput(
            "Nothing, or more than one thing, is named",
            "agenteval void",
            "name a run or a trial, or a task with --task",
        )
    if suite is not None and task is None:
        raise InvalidInput("A suite says which task is meant", "--suite", "use it with --task")
    opened = ae.open_store(store)
    if task is not None:
        entry = quarantine(opened.path, task, reason=reason, suite=suite, undo=undo)
        facts = {
            "task": entry.id,
            "suite": entry.suite,
            "since": entry.since,
            "reason": entry.reason,
        }
        trials = opened.trials(task=task, suite=suite)
        told = f"task {entry.id}" + (f" of suite {entry.suite}" if entry.suite else "")
    else:
        said = void_it(opened.path, target or "", reason=reason, undo=undo)
        facts = {
            "run_id": said.run_id,
            "trial_id": said.trial_id,
            "at": said.at,
            "reason": said.reason,
        }
        trials = opened.trials(run=said.run_id)
        if said.trial_id is not None:
            trials = trials[trials["trial_id"] == said.trial_id]
        told = (
            f"trial {said.trial_id} of run {said.run_id}" if said.trial_id else f"run {said.run_id}"
        )
    left_out = int(trials["error_class"].isin(["voided", "quarantined"]).sum())
    if json:
        print_json({**facts, "undone": undo, "trials": len(trials), "left_out": left_out})
        return
    if undo:
        print(f"{told}: taken back; {count(len(trials) - left_out, 'trial')} of it count again")
        if left_out:
            say(f"{count(left_out, 'trial')} of it stay left out for another reason")
        return
    print(f"{told}: {count(left_out, 'trial')} left out of every rate from now on")
    say("outcomes, costs and artifacts are kept; the same with --undo takes it back")
