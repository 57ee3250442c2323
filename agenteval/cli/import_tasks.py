"""`agenteval import-tasks`: tasks of other tools as task folders of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import JsonOption, NoSandboxOption, SandboxOption, sandbox_of
from agenteval.cli.output import count, print_json, say
from agenteval.cli.task.where import ASIDE, suite_to_write

if TYPE_CHECKING:
    from agenteval.sandbox import Sandbox
    from agenteval.suite.foreign import ImportedTasks

WORDS = {"dropped": "dropped", "changed": "changed", "skipped": "cannot be run"}


def import_tasks(
    format_: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="neuralinverse, chatcli, shell-harness, harbor (Terminal-Bench too) or swe-bench.",
        ),
    ],
    path: Annotated[
        Path,
        typer.Argument(
            help="Task folder or folder of them, YAML suite, folder with config.sh, or JSONL file."
        ),
    ],
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            help="Folder of the suite that the tasks go into; made when it is missing.",
            show_default="./evals or ./tasks, else ./evals",
        ),
    ] = None,
    repo: Annotated[
        Path | None,
        typer.Option(
            "--repo",
            metavar="DIR",
            help="swe-bench: the clone that the rows are about, or a folder of clones.",
            show_default="the row's `repo`, beside the file",
        ),
    ] = None,
    solve: Annotated[
        bool,
        typer.Option(
            "--solve",
            help="harbor: run each solution/solve.sh in its task's sandbox and keep what it changed as solution.patch.",
        ),
    ] = False,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Convert the good records and count the bad ones; else one bad record stops it.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would come of it and write nothing.")
    ] = False,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Convert tasks of another tool; what each of them drops or changes is listed, key by key.

    All or nothing, and nothing is ever overwritten: each task is written aside and loaded before
    any is put into the suite. Nothing of the tasks is executed, except by --solve. Exit code 1 when
    a solution could not be had.

    Example: agenteval import-tasks harbor ./terminal-bench/tasks --to evals --solve
    """  # fmt: skip
    from agenteval.engine import scratch_folder
    from agenteval.engine.authoring import OpenedClones
    from agenteval.suite.foreign import import_tasks as convert

    box = sandbox_of(sandbox, no_sandbox=no_sandbox) if solve else None
    suite = suite_to_write(to)
    with scratch_folder() as scratch:
        done = convert(
            "harbor" if format_ == "terminal-bench" else format_,
            path,
            suite,
            clones=OpenedClones(scratch),
            repo=repo,
            skip_bad=skip_bad,
            dry_run=dry_run,
        )
    if not json:
        _tell(done, dry_run=dry_run)
    solved = {} if box is None else _solved(done, box)
    unsolved = {name: why for name, why in solved.items() if why is not None}
    if json:
        print_json(_facts(done, solved))
    else:
        for name, why in solved.items():
            say(f"{name}: {'solved' if why is None else f'no reference: {why}'}")
        if done.folders:
            say(f"next: `agenteval validate {suite}`; a task without a reference wants `agenteval task solve ID --suite {suite}`")  # fmt: skip
    if unsolved:
        raise typer.Exit(1)


def _solved(done: ImportedTasks, sandbox: Sandbox) -> dict[str, str | None]:
    """Task to why its solution could not be had; None where it was."""
    return {
        task.task_id: why
        for task, folder in zip(done.tasks, done.folders, strict=False)
        if task.skipped is None
        for why in _solve(folder, sandbox)
    }


def _solve(folder: Path, sandbox: Sandbox) -> list[str | None]:
    """One answer for a task that brings a solution, none for another."""
    from agenteval.engine.authoring import solve as solve_it
    from agenteval.errors import AgentEvalError
    from agenteval.suite import load_suite
    from agenteval.suite.foreign import solution_command

    said: list[bytes] = []
    try:
        command = solution_command(folder)
        if command is None:
            return []
        done = solve_it(
            load_suite(folder).tasks[0],
            ASIDE,
            sandbox=sandbox,
            command=command,
            on_output=lambda stream, data: said.append(data),
        )
    except AgentEvalError as error:
        return [f"{error.what} ({error.where})"]
    if ASIDE.is_dir():
        (ASIDE.parent / ".gitignore").write_text("*\n")
    if done.saved is None:
        return ["its solution changed nothing in the workspace" + _tail(said)]
    return [
        None if done.exit_code == 0 else f"its solution ended with {done.exit_code}{_tail(said)}"
    ]


def _tail(said: list[bytes]) -> str:
    text = b"".join(said).decode("utf-8", "replace").strip()
    return f": {text[-300:]}" if text else ""


def _tell(done: ImportedTasks, *, dry_run: bool) -> None:
    for task in done.tasks:
        print(f"{task.task_id}  ({task.origin})")
        for note in task.notes:
            print(f"  {WORDS[note.what]}: {note.key}: {note.why}")
    verb = "would be written to" if dry_run else "written to"
    print(f"{count(len(done.tasks), 'task')} {verb} {done.suite}")
    cannot = [task.task_id for task in done.tasks if task.skipped is not None]
    if cannot:
        say(f"{count(len(cannot), 'task')} will be skipped, and say why: {', '.join(cannot)}")
    for where, why in done.skipped:
        say(f"left out: {where}: {why}")


def _facts(done: ImportedTasks, solved: dict[str, str | None]) -> dict[str, object]:
    return {
        "suite": str(done.suite),
        "written": [str(folder) for folder in done.folders],
        "tasks": [
            {
                "task_id": task.task_id,
                "origin": task.origin,
                "skip": task.skipped,
                "notes": [{"key": n.key, "what": n.what, "why": n.why} for n in task.notes],
            }
            for task in done.tasks
        ],
        "left_out": [{"where": where, "why": why} for where, why in done.skipped],
        "solved": solved,
    }
