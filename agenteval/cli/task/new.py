"""`agenteval task new`: the skeleton of a task."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from agenteval.cli.options import JsonOption
from agenteval.cli.output import print_json, say
from agenteval.cli.task.where import InSuiteOption, suite_to_write
from agenteval.errors import InvalidInput

KINDS = ("task", "pressure", "injection")


def new(
    task: Annotated[str, typer.Argument(metavar="ID", help="Id of the task, its folder's name.")],
    *,
    title: Annotated[str, typer.Option("--title", help="One line for people.")] = "",
    category: Annotated[
        str | None,
        typer.Option(
            "--category",
            help="bugfix, feature, refactor, explain, test, multi-file, config or debug.",
            show_default="bugfix",
        ),
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option("--difficulty", help="easy, medium or hard.", show_default="medium"),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", help="Main language of the repository.", show_default="by its files"
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="task, pressure or injection.")] = "task",
    prompt_file: Annotated[
        Path | None,
        typer.Option(
            "--prompt-file", help="File with what the agent is asked.", show_default=False
        ),
    ] = None,
    repo: Annotated[
        Path | None,
        typer.Option(
            "--repo",
            metavar="DIR",
            help="Folder whose files the agent starts from; its .git is left out.",
            show_default=False,
        ),
    ] = None,
    suite: InSuiteOption = None,
    json: JsonOption = False,
) -> None:
    """Write the skeleton of a task: it loads, cannot pass yet, and says what is still to fill in.

    On a terminal it asks for what no flag says. Nothing is ever overwritten.

    Example: agenteval task new mend-the-parser --category bugfix --language python --repo ./project
    """  # fmt: skip
    from agenteval.records.task import Category, Difficulty
    from agenteval.suite import detect_project
    from agenteval.suite.authoring import NewTask, check_new, new_task

    folder = suite_to_write(suite)
    check_new(folder, task)
    categories, difficulties = get_args(Category), get_args(Difficulty)
    given = {"--category": (category, categories), "--difficulty": (difficulty, difficulties), "--kind": (kind, KINDS)}  # fmt: skip
    for flag, (value, choices) in given.items():
        _check_choice(flag, value, choices)
    prompt = "" if prompt_file is None else _text(prompt_file)
    if sys.stdin.isatty() and sys.stderr.isatty() and not json:
        title = title or _asked("title", "")
        category = category or _chosen("category", categories, "bugfix")
        difficulty = difficulty or _chosen("difficulty", difficulties, "medium")
        prompt = prompt or _asked("prompt, or empty to write it into prompt.md later", "")
        answer = "" if repo else _asked("folder with the files that the agent starts from", "")
        repo = Path(answer) if answer else repo
    if language is None:
        language = detect_project(repo).language if repo is not None and repo.is_dir() else ""
    chosen: Any = {"category": category or "bugfix", "difficulty": difficulty or "medium"}
    begun = new_task(
        folder,
        NewTask(task, title, language=language, kind=kind, prompt=prompt, repo=repo, **chosen),
    )
    if json:
        print_json({"task_id": task, "folder": str(begun.folder), "missing": begun.missing})
        return
    print(f"wrote {begun.folder}")
    print("still to fill in:")
    for line in begun.missing:
        print(f"  {line}")
    say(f"next: `agenteval task solve {task}` for a reference solution, then `agenteval validate`")


def _check_choice(flag: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise InvalidInput(
            f"There is no {flag.removeprefix('--')} {value!r}",
            flag,
            f"use one of {', '.join(choices)}",
        )


def _text(path: Path) -> str:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"The prompt cannot be read: {error}", str(path), "name a text file with --prompt-file"
        ) from error
    if not text.strip():
        raise InvalidInput("The prompt is empty", str(path), "write what the agent is asked")
    return text


def _asked(what: str, default: str) -> str:
    return str(typer.prompt(what, default=default, show_default=bool(default), err=True))


def _chosen(what: str, choices: tuple[str, ...], default: str) -> str:
    while True:
        answer = _asked(f"{what} ({', '.join(choices)})", default)
        if answer in choices:
            return answer
        say(f"there is no {what} {answer!r}")
