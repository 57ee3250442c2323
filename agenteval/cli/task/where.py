"""Options that the commands on tasks share, and where their tasks go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine.authoring import Drafted

ASIDE = Path(".agenteval/solutions")

InSuiteOption = Annotated[
    Path | None,
    typer.Option(
        "--suite",
        help="Folder of the suite that the task goes into; made when it is missing.",
        show_default="./evals or ./tasks, else ./evals",
    ),
]
TestsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tests",
        help="Glob of test files, when their names and folders do not say. Repeat it for several.",
        show_default=False,
    ),
]
SetupOption = Annotated[
    str,
    typer.Option(
        "--setup",
        help="Shell command that installs what the project depends on: run once, with the network, and cached.",
        show_default=False,
    ),
]
RunnerOption = Annotated[
    str,
    typer.Option(
        "--runner",
        help="Shell command that runs the tests, with {files} and {junit} in it; pytest or `node --test`, by the files' endings, when left out.",
        show_default=False,
    ),
]
RepeatOption = Annotated[
    int, typer.Option("--repeat", help="Times the tests run before and after; flaky ones are dropped.")
]  # fmt: skip

TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", help="Seconds that one run of the tests may take."),
]


def suite_to_write(path: Path | None) -> Path:
    """The suite that a new task goes into: the one named, else ./evals or ./tasks, else ./evals."""
    if path is None:
        return next((p for p in (Path("evals"), Path("tasks")) if p.is_dir()), Path("evals"))
    return path


def check_runner(runner: str, repeat: int, timeout_s: float) -> None:
    """Refuse a command that cannot say what it found, and numbers that run nothing.

    Raises
    ------
    InvalidInput
        For each of them.
    """
    if runner and "{junit}" not in runner:
        raise InvalidInput(
            "The command has no {junit}, so it cannot know where results must go",
            f"--runner {runner!r}",
            "write it as in --runner 'python3 -m pytest --junitxml={junit} {files}'",
        )
    if timeout_s <= 0:
        raise InvalidInput(f"{timeout_s:g} s run nothing", "--timeout", "give a number above 0")
    if repeat < 1:
        raise InvalidInput(
            f"{repeat} runs prove nothing", "--repeat", "give a number of at least 1"
        )


def facts_of(drafted: Drafted) -> dict[str, object]:
    """What is printed of a drafted task as JSON."""
    proof, reading = drafted.proof, drafted.reading
    return {
        "task_id": drafted.folder.name,
        "folder": str(drafted.folder),
        "fail_to_pass": list(proof.fail_to_pass),
        "pass_to_pass": list(proof.pass_to_pass),
        "suite": list(proof.suite),
        "dropped": dict(proof.dropped),
        "gives_away": [{"kind": clue.kind, "text": clue.text} for clue in reading.clues],
        "untold": list(reading.untold),
        "grade_s": max((f.seconds for f in drafted.findings if f.seconds is not None), default=None),
    }  # fmt: skip
