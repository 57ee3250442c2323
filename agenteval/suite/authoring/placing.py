"""Putting a new task's folder into its suite, whole or not at all, and never over another."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.records import QUARANTINE
from agenteval.records.task import ID_PATTERN
from agenteval.suite.discover import is_task
from agenteval.suite.problems import shown
from agenteval.suite.reading import SUITE_FILES, TASK_FILES
from agenteval.suite.variants import FOLDER as VARIANTS

LONGEST_ID = 100
BUNDLED = "bundled"
# what a suite's folder holds beside its tasks, so that a task of that name would stand for it
RESERVED = frozenset({VARIANTS, QUARANTINE, *SUITE_FILES, *TASK_FILES})


def place_task(suite: Path, task_id: str, fill: Callable[[Path], None]) -> Path:
    """Make the folder of a new task.

    Parameters
    ----------
    suite
        The suite's folder; made when it is missing.
    fill
        Called with an empty folder to write the task's files into. It becomes the task's folder
        only when this returns.

    Raises
    ------
    InvalidInput
        When the suite cannot be made or written, or the id cannot be a folder's name, or is taken;
        nothing is written then.
    """
    check_new(suite, task_id)
    suite.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=f".{task_id}.", dir=suite))
    try:
        staged.chmod(0o755)
        fill(staged)
        target = suite / task_id
        if target.exists():
            raise _taken(target)
        return staged.rename(target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def check_new(suite: Path, task_id: str) -> None:
    """Refuse an id that cannot be a new task's, and a suite that it cannot be put into.

    Raises
    ------
    InvalidInput
        When the suite cannot be made or written, or the id cannot be a folder's name, or is taken.
    """
    if not re.fullmatch(ID_PATTERN, task_id) or len(task_id) > LONGEST_ID:
        raise InvalidInput(
            f"The id {task_id!r} cannot be a task's",
            "the id",
            "use letters, digits, dots, dashes and underscores, as in mend-the-parser",
        )
    if task_id.casefold() in RESERVED:
        raise InvalidInput(
            f"The id {task_id!r} is a name that a suite's folder has for something else",
            shown(suite / task_id),
            "choose another id",
        )
    check_suite(suite)
    for path in (suite / task_id, *(suite.iterdir() if suite.is_dir() else ())):
        if path.name.casefold() == task_id.casefold() and path.exists():
            raise _taken(path)


def check_suite(suite: Path) -> None:
    """Refuse a folder that new tasks cannot be put into; nothing is left of the attempt.

    Raises
    ------
    InvalidInput
        When it is a file or a task's own folder, cannot be made or written, or would hide the
        bundled suite.
    """
    check_writable(suite)
    if suite.absolute() == Path(BUNDLED).absolute() and not suite.exists():
        raise InvalidInput(
            f"A folder of the name {BUNDLED!r} would hide the tasks that come along",
            shown(suite),
            "name another folder",
        )
    if suite.is_dir() and is_task(suite):
        raise InvalidInput(
            "This is a task's own folder, and no suite",
            shown(suite),
            f"name the suite that it lies in, {shown(suite.absolute().parent)}",
        )


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be made, or in which nothing can be made.

    Tried where the first folder above it is that there is: what the mode of a folder says is not
    what a file system of the kernel's, or one mounted read-only, does.

    Raises
    ------
    InvalidInput
        With the system's reason.
    """
    place = folder.absolute()
    try:
        while not _is_there(place):
            place = place.parent
        if place.is_dir():
            Path(tempfile.mkdtemp(prefix=".agenteval-", dir=place)).rmdir()
            if folder.is_dir():
                next(folder.iterdir(), None)  # one that may be written need not be readable
            return
    except OSError as error:
        raise InvalidInput(
            f"A folder cannot be made here: {error.strerror}",
            shown(folder),
            "name a suite whose folder can be made and written",
        ) from error
    what = "this is a file" if place.exists() else "this is a link to nothing"
    raise InvalidInput(f"A suite is a folder, and {what}", shown(place), "name a folder")


def _is_there(path: Path) -> bool:
    """Whether something has this name; a link to nothing has."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _taken(path: Path) -> InvalidInput:
    return InvalidInput(
        f"There is a task {path.name!r} already, and nothing is overwritten",
        shown(path),
        "choose another id, or move that folder away",
    )
