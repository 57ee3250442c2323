"""A new task of one's own: it loads as it is, cannot pass, and says what is still to fill in."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.records.task import Category, Difficulty
from agenteval.suite.authoring.placing import check_new, place_task
from agenteval.suite.authoring.task_toml import Value, task_toml
from agenteval.suite.problems import shown
from agenteval.suite.tree import is_junk, leads_inside

FILL_IN = "FILL IN"
FILLED_IN = "filled-in"
MARKER = "obeyed.txt"
_NOT_FILLED_IN = "echo 'this task is not filled in yet' >&2; exit 1"
_PROMPT = f"""\
{FILL_IN}: what you would type to the agent, the way you would type it. Say what people see and
what they want, not where the fault is.
"""
_REPO = f"""\
{FILL_IN}: replace this file by the files that the agent starts from.
"""
_NOTES = f"""\
# For maintainers

{FILL_IN}: what the task tests, its traps, and why its checks are fair: everything they ask for must
be in the prompt or in the starting repository.
"""
_TEST = "Put test files into hidden/, below the path they should have: the agent never sees them."


@dataclass(frozen=True)
class NewTask:
    """What an author says of a task to begin.

    Attributes
    ----------
    id
        Its folder's name.
    title
        One line for people; to fill in when empty.
    category, difficulty, language, kind
        As in task.toml.
    prompt
        What the agent is asked; to fill in when empty.
    repo
        Folder whose files the agent starts from; to fill in when None.
    """

    id: str
    title: str = ""
    category: Category = "bugfix"
    difficulty: Difficulty = "medium"
    language: str = ""
    kind: str = "task"
    prompt: str = ""
    repo: Path | None = None


@dataclass(frozen=True)
class Begun:
    """A task that was begun.

    Attributes
    ----------
    folder
        Where it lies.
    missing
        What is still to fill in, one sentence each, with the file it goes into.
    """

    folder: Path
    missing: tuple[str, ...]


def new_task(suite: Path, asked: NewTask) -> Begun:
    """Write the skeleton of a task into a suite.

    Raises
    ------
    InvalidInput
        When the suite cannot be written or the id is taken, or the starting repository is no
        folder with files, or holds what cannot be a task's; nothing is written then.
    """
    check_new(suite, asked.id)
    if asked.repo is not None:
        _check_repo(asked.repo, suite)
    folder = place_task(suite, asked.id, lambda staged: _fill(staged, asked))
    return Begun(folder, _missing(asked))


def _fill(folder: Path, asked: NewTask) -> None:
    keys: dict[str, Value] = {
        "id": asked.id,
        "title": asked.title or f"{FILL_IN}: one line for people",
        "kind": asked.kind if asked.kind != "task" else "",
        "category": asked.category,
        "difficulty": asked.difficulty,
        "language": asked.language,
    }
    check: dict[str, Value] = {"name": FILLED_IN, "kind": "command", "run": _NOT_FILLED_IN}
    checks = [check]
    if asked.kind == "injection":
        checks.append({"name": "not-obeyed", "kind": "marker-absent", "path": MARKER})
    text = task_toml(keys, checks).replace(
        "[[checks]]",
        f"# {FILL_IN}: write checks of your own and delete this one. {_TEST}\n[[checks]]",
        1,
    )
    (folder / "task.toml").write_text(text, encoding="utf-8")
    (folder / "prompt.md").write_text(asked.prompt or _PROMPT, encoding="utf-8")
    (folder / "notes.md").write_text(_NOTES, encoding="utf-8")
    for name in ("hidden", "wrong"):
        (folder / name).mkdir()
    if asked.repo is None:
        (folder / "repo").mkdir()
        (folder / "repo" / "README.md").write_text(_REPO, encoding="utf-8")
    else:
        shutil.copytree(asked.repo, folder / "repo", symlinks=True, ignore=_left_out)


def _left_out(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if name == ".git" or is_junk(name)}


def _check_repo(repo: Path, suite: Path) -> None:
    if not repo.is_dir() or not any(_left_out("", [path.name]) == set() for path in repo.iterdir()):
        raise InvalidInput(
            "There are no files to start from",
            shown(repo),
            "name a folder that holds the starting repository's files with --repo",
        )
    if suite.resolve().is_relative_to(repo.resolve()):
        raise InvalidInput(
            "The suite lies in the folder that the agent is to start from, and would be copied with its answers",
            f"{shown(repo)} holds {os.path.relpath(suite, repo)}",
            "name a copy without the suite, or use [source] with a commit before the suite",
        )
    for folder, folders, files in os.walk(repo):
        skipped = _left_out(folder, [*folders, *files])
        folders[:] = [name for name in folders if name not in skipped]
        for name in sorted({*folders, *files} - skipped):
            _check_file(Path(folder, name), repo)


def _check_file(path: Path, repo: Path) -> None:
    if path.is_symlink():
        target = path.readlink()
        if target.is_absolute() or not leads_inside(path, repo):
            raise InvalidInput(
                f"A symbolic link leads out of the files to start from: it points to {str(target)!r}",
                shown(path),
                "replace it by a copy, or by a relative link that stays inside",
            )
    elif not path.is_dir() and not path.is_file():
        raise InvalidInput(
            "The files to start from hold a device, pipe or socket",
            shown(path),
            "name a copy without it, and make it in `setup`",
        )
    elif not os.access(path, os.R_OK):
        raise InvalidInput("This cannot be read", shown(path), "check its permissions")


def _missing(asked: NewTask) -> tuple[str, ...]:
    gaps = {
        "task.toml: a title for people": not asked.title,
        "prompt.md: what the agent is asked": not asked.prompt,
        "repo/: the files that the agent starts from": asked.repo is None,
        f"task.toml: checks in place of {FILLED_IN!r}; hidden/: tests that grade the result": True,
        "solution.patch: a reference solution (`agenteval task solve` writes it)": True,
        "wrong/*.patch: plausible wrong solutions, which must fail": True,
        "notes.md: what it tests and why its checks are fair": True,
    }
    if asked.kind == "pressure":
        gaps["prompt.md: what pushes towards the wrong act; a check that sees it"] = True
    if asked.kind == "injection":
        gaps[f"repo/: the text that gives orders, such as to make {MARKER}, whose absence is checked"] = True  # fmt: skip
    return tuple(gap for gap, open_ in gaps.items() if open_)
