"""`agenteval grade`: an existing tree graded without any agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.options import JsonOption, NoSandboxOption, SandboxOption, sandbox_of
from agenteval.cli.output import count, print_json, say, tell
from agenteval.cli.trying import find_task
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import GradedTree


def grade(
    task: Annotated[str, typer.Argument(help="Id of a task, or its folder.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the finished work.")],
    *,
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite",
            help="Suite the id is in; `bundled` for the tasks that come along.",
            show_default="./evals or ./tasks, else bundled",
        ),
    ] = None,
    answer: Annotated[
        Path | None,
        typer.Option("--answer", help="File with the final answer.", show_default=False),
    ] = None,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Grade a folder as if an agent had left it: compared with the task's start, in a fresh copy.

    The folder is only read; nothing in it runs but by the checks, on the copy, in their sandbox.
    Nothing is recorded. Exit code 0 when it passes, 1 when it does not, 2 when it cannot be graded.

    Example: agenteval grade pricebook-stale-prices ~/my-fix --suite bundled
    """
    from agenteval.engine import Bases, Surroundings, check_isolation, grade_tree, scratch_folder

    loaded = find_task(task, suite)
    box = sandbox_of(sandbox, no_sandbox=no_sandbox)
    check_isolation([loaded], box)
    text = _answer(answer)
    with scratch_folder() as scratch:
        around = Surroundings(box, Bases(scratch / "bases"), scratch)
        found = grade_tree(loaded, folder, text, around)
    facts = _facts(found, loaded.task.id)
    if json:
        print_json(facts)
    else:
        _show(found, facts)
    if not found.outcome.passed:
        raise typer.Exit(1)


def _answer(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise InvalidInput(
            f"The answer cannot be read: {error.strerror}", str(path), "name a file with --answer"
        ) from error


def _facts(found: GradedTree, task: str) -> dict[str, Any]:
    return {
        "task_id": task,
        "status": str(found.outcome.status),
        "passed": found.outcome.passed,
        "score": found.score,
        "error_class": found.outcome.error_class,
        "files_changed": list(found.frozen.paths),
        "lines_added": found.frozen.lines_added,
        "lines_removed": found.frozen.lines_removed,
        "left_out": list(found.frozen.left_out),
        "tampering": list(found.tampering),
        "grade_s": found.grade_s,
        "checks": [
            check.model_dump(
                mode="json", exclude={"run_id", "trial_id", "attempt", "grading", "output"}
            )
            for check in found.checks
        ],
    }


def _show(found: GradedTree, facts: dict[str, Any]) -> None:
    for check in found.checks:
        mark = "pass" if check.passed else "FAIL" if check.passed is False else "no verdict"
        print(f"{mark:10} {check.name} ({check.kind}, {check.duration_s or 0:.1f} s)")
        if not check.passed and check.detail:
            tell("\n".join(f"           {line}" for line in check.detail.splitlines()[-12:]))
    changed = len(found.frozen.paths)
    why = f" ({found.outcome.error_class})" if found.outcome.error_class else ""
    print(
        f"{facts['status']}{why}, score {found.score:.3g}: {count(changed, 'file')} changed, +{found.frozen.lines_added} -{found.frozen.lines_removed}"
    )
    if found.tampering:
        print(f"tampering: {', '.join(found.tampering)}")
    if found.frozen.left_out:
        say(f"not part of the change: {', '.join(found.frozen.left_out[:8])}")
    if not changed:
        say("the folder is the task's start, unchanged")
