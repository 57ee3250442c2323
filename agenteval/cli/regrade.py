"""`agenteval regrade`: stored patches graded again with today's checks, without any agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import (
    JsonOption,
    NoSandboxOption,
    SandboxOption,
    StoreOption,
    TasksOption,
    concurrency_of,
    sandbox_of,
)
from agenteval.cli.output import print_json, say
from agenteval.cli.regrade_told import Told
from agenteval.cli.run_options import CONCURRENCY

if TYPE_CHECKING:
    from agenteval.engine import RegradeResult


def regrade(
    run: Annotated[str, typer.Argument(help="Run.")],
    *,
    tasks: TasksOption = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite", help="Where the suite lies now, if it was moved.", show_default=False
        ),
    ] = None,
    times: Annotated[
        int,
        typer.Option(
            "--times",
            help="Gradings of each patch, to find graders that disagree with themselves; their trials keep their old grading.",
        ),
    ] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would change and write nothing.")
    ] = False,
    concurrency: CONCURRENCY = None,
    store: StoreOption = None,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Grade the stored patches of a run again with today's checks; no agent runs, nothing is paid for.

    Passes and failures alike: new records are written beside the old ones and hold from then on.
    Exit code 1 when a check disagrees with itself, or work is there that could not be graded; 2
    when nothing could be graded.

    Example: agenteval regrade nightly-17 --tasks 'shop-*' --times 3
    """
    import agenteval as ae
    from agenteval.engine import regrade_run
    from agenteval.records import RunFolder
    from agenteval.store import seal

    opened = ae.open_store(store)
    folder = RunFolder(opened.run_folder(run))
    result = regrade_run(
        folder,
        sandbox=sandbox_of(sandbox, no_sandbox=no_sandbox),
        suite=suite,
        tasks=tasks,
        times=times,
        concurrency=concurrency_of(concurrency),
        write=not dry_run,
        on_done=(lambda done, total: None) if json else _progress,
    )
    told = Told(opened, run, result)
    if result.written:
        seal(opened.path, [run])
    if json:
        print_json(told.facts())
    else:
        told.print_all(times)
    code = _exit_code(result)
    if code:
        raise typer.Exit(code)


def _progress(done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        say(f"[{done}/{total}] graded")


def _exit_code(result: RegradeResult) -> int:
    if result.interrupted:
        return 130
    if not result.regraded and not result.unsteady:
        return 2
    return int(bool(result.unsteady) or any(refused.lost for refused in result.refused))
