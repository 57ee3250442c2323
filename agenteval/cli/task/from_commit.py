"""`agenteval task from-commit`: a task made of a commit and proven by its own tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import JsonOption, NoSandboxOption, SandboxOption, sandbox_of
from agenteval.cli.output import count, print_json, say
from agenteval.cli.task.where import (
    InSuiteOption,
    RepeatOption,
    RunnerOption,
    SetupOption,
    TestsOption,
    TimeoutOption,
    check_runner,
    facts_of,
    suite_to_write,
)
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine.authoring import Drafted


def from_commit(
    repo: Annotated[Path, typer.Argument(help="Folder of a clone, or a bare repository.")],
    commit: Annotated[
        str, typer.Argument(metavar="SHA", help="Commit that fixed something and changed tests.")
    ],
    *,
    tests: TestsOption = None,
    issue: Annotated[
        Path | None,
        typer.Option(
            "--issue", help="File with the text of the issue, for the prompt.", show_default=False
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--id", help="Id of the task.", show_default="by the commit's subject"),
    ] = None,
    suite: InSuiteOption = None,
    setup: SetupOption = "",
    runner: RunnerOption = "",
    repeat: RepeatOption = 3,
    timeout: TimeoutOption = 120.0,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Make a task of a commit: its parent's files to start from, its tests hidden, the rest as reference.

    The tests are run before and after, in the sandbox: kept are those that fail before and pass
    after, and those that pass either way; flaky ones are dropped. The prompt is drafted from the
    message, or from the issue; what in it gives the answer away is marked in the task's notes.md.
    Nothing is written unless the task validates, and nothing is overwritten.

    Example: agenteval task from-commit ~/shop HEAD~3 --suite ./evals
    """  # fmt: skip
    from agenteval.engine import scratch_folder
    from agenteval.engine.authoring import Wanted, open_history
    from agenteval.engine.authoring import from_commit as make

    check_runner(runner, repeat, timeout)
    folder = suite_to_write(suite)
    wanted = Wanted(tuple(tests or ()), _issue(issue), task, setup, runner, repeat, timeout)
    box = sandbox_of(sandbox, no_sandbox=no_sandbox)
    with scratch_folder() as scratch:
        history = open_history(repo, scratch)
        change = history.commit(commit)
        drafted = make(
            *(history, change, folder, wanted), sandbox=box, scratch=scratch, tell=_step(json)
        )
    if json:
        print_json(facts_of(drafted))
        return
    _show(drafted)


def _step(json: bool):  # type: ignore[no-untyped-def]
    return (lambda text: None) if json else say


def _issue(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"The issue cannot be read: {error}", str(path), "name a text file with --issue"
        ) from error


def _show(drafted: Drafted) -> None:
    proof, reading = drafted.proof, drafted.reading
    print(f"wrote {drafted.folder}: the task validates")
    print(f"  fail before and pass after: {count(len(proof.fail_to_pass), 'test')}")
    print(
        f"  pass either way: {count(len(proof.pass_to_pass), 'hidden test')}, {len(proof.others)} of the project's others"
    )
    for test, why in list(proof.dropped.items())[:5]:
        print(f"  not graded: {test} ({why})")
    if reading.clues:
        print("what in the prompt gives the answer away, in double brackets:")
        print("\n".join(f"  {line}" for line in reading.prompt.strip().splitlines()))
    if reading.untold:
        print(f"the prompt does not say, and hidden tests ask for: {', '.join(reading.untold)}")
    say(f"next: read {drafted.folder / 'notes.md'}, mend prompt.md, add wrong/*.patch, then `agenteval validate`")  # fmt: skip
