"""The first files of a suite for somebody's own project."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.suite.problems import shown
from agenteval.suite.project.commit import Commit, current_commit
from agenteval.suite.project.found import Project

SUITE_FOLDER, FIRST_TASK = "evals", "first-task"
_NOT_FILLED_IN = "echo 'this task is not filled in yet' >&2; exit 1"

_PROMPT = """\
FILL IN: what you would type to the agent, the way you would type it.

Good first tasks are in the project's own history: take a bug that was fixed, describe what
people saw, and leave out where the fault is. The tests that came with the fix go into
hidden/ and grade the result; the agent never sees them.
"""
_README = """\
FILL IN: replace this file by the files that the agent starts from.

The project was not in a git repository with a commit when this task was made. If it is
one now, delete this folder and name the commit in task.toml:

    [source]
    git = ".."
    rev = "the output of git rev-parse HEAD"
"""


def write_starter(folder: Path | str, project: Project) -> list[Path]:
    """Write evals/suite.toml and a first task that starts from the project's current commit.

    The task loads as it is and cannot pass: its prompt and one of its checks say what to
    fill in. In a project without a commit the task gets a repo/ folder to fill instead.

    Parameters
    ----------
    folder
        The project's folder; evals/ is made in it.
    project
        What `detect_project` found there.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InvalidInput
        When any of them is there already; nothing is written then.
    """
    folder = Path(folder).absolute()
    suite = folder / SUITE_FOLDER
    task = suite / FIRST_TASK
    commit = current_commit(folder)
    files = {
        suite / "suite.toml": _suite_toml(folder, project, commit),
        task / "task.toml": _task_toml(suite, project, commit),
        task / "prompt.md": _PROMPT,
    }
    if commit is None:
        files[task / "repo" / "README.md"] = _README
    taken = [path for path in files if path.exists()]
    if taken:
        raise InvalidInput(
            "Files of a suite are there already, and nothing is overwritten",
            ", ".join(map(shown, taken)),
            "move or delete them, or go on with the suite that is there",
        )
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    return list(files)


def _suite_toml(folder: Path, project: Project, commit: Commit | None) -> str:
    inside = _inside(folder, commit)
    lines = [
        "# What the tasks in this folder share; `agenteval schema suite` lists every key.",
        f"name = {_toml(folder.name)}",
        "",
        "# How the project is set up, tested and linted. Found by reading its files, not by",
        "# running anything: correct what is wrong.",
        *(f"# - {_one_line(line)}" for line in project.evidence),
        "[commands]",
        *(
            _command(key, _there(inside, getattr(project, key)))
            for key in ("setup", "test", "lint")
        ),
        "",
        "[defaults]",
        f"language = {_toml(project.language)}",
        f"tests = {_toml([_below(inside, glob) for glob in project.tests])}",
    ]
    if project.setup:
        lines += [
            "",
            "# Agent and checks have no network, so dependencies are installed beforehand, once,",
            "# and again when one of the key files changes.",
            "[defaults.environment]",
            f"build = {_toml([_there(inside, project.setup)])}",
            "network = true",
            f"key = {_toml([_below(inside, key) for key in project.keys])}",
        ]
    return "\n".join(lines) + "\n"


def _task_toml(suite: Path, project: Project, commit: Commit | None) -> str:
    inside = _inside(suite.parent, commit)
    lines = [
        "# One problem; `agenteval schema task` lists every key.",
        f"id = {_toml(FIRST_TASK)}",
        'title = "FILL IN: one line for people"',
        'category = "bugfix"    # feature, refactor, explain, test, multi-file, config, debug',
        'difficulty = "medium"  # easy, hard',
    ]
    if commit:
        lines += [
            "",
            "# The agent starts from this commit. It must not hold the suite or the fix:",
            "# for a bug that was fixed, take the commit before the fix.",
            "[source]",
            f"git = {_toml(os.path.relpath(commit.root, suite))}",
            f"rev = {_toml(commit.sha)}",
        ]
    lines += [
        "",
        "# FILL IN: delete this check when the prompt and the checks below are yours. Put test",
        "# files into hidden/ (below the path they should have) and name the command that runs them.",
        "[[checks]]",
        'name = "filled-in"',
        'kind = "command"',
        f"run = {_toml(_NOT_FILLED_IN)}",
    ]
    if project.test:
        lines += [
            "",
            "[[checks]]",
            'name = "tests"',
            'kind = "command"',
            f"run = {_toml(_there(inside, project.test))}",
        ]
    return "\n".join(lines) + "\n"


def _inside(folder: Path, commit: Commit | None) -> str:
    """Where the project lies in its repository; empty at the top."""
    return "" if commit is None or folder == commit.root else os.path.relpath(folder, commit.root)


def _there(inside: str, command: str) -> str:
    return f"cd {shlex.quote(inside)} && {command}" if inside and command else command


def _below(inside: str, path: str) -> str:
    return f"{inside}/{path}" if inside else path


def _command(key: str, command: str) -> str:
    return (
        f"{key} = {_toml(command)}"
        if command
        else f'# {key} = ""  (none found: write the command here)'
    )


def _one_line(text: str) -> str:
    """What a project's files say, made fit for a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _toml(value: str | Iterable[str]) -> str:
    """Write a value as TOML; its strings have JSON's escapes."""
    return json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False)
