"""`agenteval task solve`: a shell in a task's workspace, and what was done there as its solution."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import JsonOption, NoSandboxOption, SandboxOption, sandbox_of
from agenteval.cli.output import count, print_json, say
from agenteval.cli.task.where import ASIDE
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.sandbox import Sandbox


def solve(
    task: Annotated[str, typer.Argument(metavar="ID", help="Id of a task, or its folder.")],
    *,
    suite: Annotated[
        Path | None,
        typer.Option("--suite", help="Suite the id is in.", show_default="./evals or ./tasks"),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            "--command",
            help="Run this in the task's sandbox in place of a shell.",
            show_default=False,
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", help="Times each solution is tried afterwards.")
    ] = 1,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Open your shell in the task's workspace; what you changed becomes its solution.patch.

    You start from the very copy that an agent gets. Leave the shell with exit code 0 and the change
    is saved and the task validated; leave it with another (`exit 1`) and the change is kept aside in
    .agenteval/solutions, as is a solution that was there before. Your shell is not sandboxed; with
    --command the command is. Exit code 1 when the task does not validate, or nothing was saved.

    Example: agenteval task solve mend-the-parser
    """  # fmt: skip
    from agenteval.engine.authoring import solve as solve_it
    from agenteval.suite import load_suite

    folder = _task_folder(task, suite)
    loaded = load_suite(folder, unrecorded=True).tasks[0]
    box = sandbox_of(sandbox, no_sandbox=no_sandbox)
    if command is None:
        say(
            f"--- {loaded.id}: {loaded.folder / 'prompt.md'} is what the agent is asked; `exit` saves, `exit 1` does not ---"
        )
    done = solve_it(
        loaded,
        ASIDE,
        sandbox=box,
        command=command,
        on_output=None if json or command is None else _live,
    )
    if ASIDE.is_dir():
        (ASIDE.parent / ".gitignore").write_text("*\n")
    finished = done.exit_code == 0 and done.saved is not None
    facts: dict[str, object] = {
        "task_id": loaded.id,
        "exit_code": done.exit_code,
        "files_changed": done.frozen.paths,
        "saved": None if done.saved is None else str(done.saved),
        "replaced": None if done.replaced is None else str(done.replaced),
        "validated": None,
    }
    if not json:
        _tell(loaded.id, facts)
    if finished:
        problems = _validated(folder, box, repeat)
        facts |= {"validated": not problems, "problems": problems}
        if not json:
            _tell_validated(problems)
    if json:
        print_json(facts)
    if not facts["validated"]:
        raise typer.Exit(1)


def _validated(folder: Path, sandbox: Sandbox, repeat: int) -> list[str]:
    """Record test ids where they are missing, try every solution; what is wrong, in lines."""
    from agenteval.engine import needs_recording, record_tests, validate
    from agenteval.suite import load_suite, write_recorded

    loaded = load_suite(folder, unrecorded=True).tasks[0]
    if needs_recording(loaded):
        recording = record_tests([loaded], sandbox=sandbox, repeat=2)[0]
        if recording.tests is None:
            return [recording.problem or "its tests cannot be recorded"]
        write_recorded(loaded.folder, recording.tests)
        loaded = load_suite(folder).tasks[0]
    found = validate((loaded,), sandbox=sandbox, repeat=repeat)
    return [
        f"{f.solution}: should {'pass' if f.should_pass else 'fail'}, came to {f.status or 'infrastructure'}: {f.detail}"
        for f in found
        if not f.ok
    ]


def _tell_validated(problems: list[str]) -> None:
    for line in problems:
        say(line)
    print(
        "the task does not validate yet; the solution is kept"
        if problems
        else "the task is a real test"
    )


def _tell(task: str, facts: dict[str, object]) -> None:
    if facts["saved"] is None:
        print(f"{task}: nothing was changed, and nothing was saved")
        return
    changed = facts["files_changed"]
    assert isinstance(changed, tuple)
    print(f"{task}: {count(len(changed), 'file')} changed, saved in {facts['saved']}")
    if facts["exit_code"] != 0:
        say(f"it ended with {facts['exit_code']}, so the task's own solution was left as it was")
    if facts["replaced"]:
        say(f"the solution that was there is kept in {facts['replaced']}")


def _task_folder(task: str, suite: Path | None) -> Path:
    from agenteval.cli.options import suite_folder

    if suite is None and Path(task).is_dir():
        return Path(task)
    folder = suite_folder(suite) / task
    if not folder.is_dir():
        raise InvalidInput(
            f"There is no task {task!r}",
            str(folder),
            "name a task's folder or id; `agenteval list tasks` shows them",
        )
    return folder


def _live(stream: str, data: bytes) -> None:
    target = sys.stderr if stream == "stderr" else sys.stdout
    target.write(data.decode("utf-8", "replace"))
    target.flush()
