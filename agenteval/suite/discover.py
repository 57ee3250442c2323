"""Which folders are tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agenteval.errors import TaskError
from agenteval.suite.problems import Problems, shown
from agenteval.suite.reading import SUITE_FILES, TASK_FILES

_SIGNS = ("prompt.md", "hidden", "solution.patch")


def existing_folder(path: Path) -> Path:
    """Return the folder meant by `path`, which may also name a task's or suite's file.

    Raises
    ------
    TaskError
        When there is none.
    """
    if path.name in (*TASK_FILES, *SUITE_FILES) and path.is_file():
        return path.parent
    fix = "give the folder that holds the tasks; `agenteval init` makes one"
    if not path.exists():
        raise TaskError("The suite does not exist", shown(path), fix)
    if not path.is_dir():
        raise TaskError("A suite is a folder, and this is a file", shown(path), fix)
    return path


def is_task(folder: Path) -> bool:
    """Whether a folder holds a task's file."""
    return any((folder / name).exists() for name in TASK_FILES)


def task_folders(suite: Path, problems: Problems) -> list[Path]:
    """Return the task folders of a suite by name; none, or one without its file, is a problem."""
    children = sorted(
        child for child in suite.iterdir() if child.is_dir() and not child.name.startswith(".")
    )
    found = []
    for child in children:
        if is_task(child):
            found.append(child)
        elif any((child / sign).exists() for sign in _SIGNS):
            problems.add(
                "The folder looks like a task and has no task.toml",
                child,
                "write task.toml there, or move the folder out of the suite",
            )
    if not found and not problems.found:
        below = next(
            (
                child
                for child in children
                if any(map(is_task, filter(Path.is_dir, child.iterdir())))
            ),
            None,
        )
        problems.add(
            "The suite is empty: no folder in it holds a task.toml or task.json",
            suite,
            f"give {shown(below)}, which holds tasks"
            if below
            else "add a folder with a task.toml; `agenteval init` writes a first one",
        )
    return found


def refuse_doubles(folders: Sequence[Path], problems: Problems) -> None:
    """Note a problem for folders whose names, the tasks' ids, differ in case only."""
    seen: dict[str, Path] = {}
    for path in folders:
        first = seen.setdefault(path.name.casefold(), path)
        if first is not path:
            problems.add(
                f"Two tasks have the same id but for upper and lower case: {first.name!r} and {path.name!r}",
                path,
                "rename one of the two; not every file system and reader tells them apart",
            )
