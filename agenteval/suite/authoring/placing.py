"""Putting a new task's folder into its suite, whole or not at all, and never over another."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.records.task import ID_PATTERN
from agenteval.suite.problems import shown

LONGEST_ID = 100


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
        When the id cannot be a folder's name, or is taken; nothing is written then.
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
    """Refuse an id that cannot be a new task's.

    Raises
    ------
    InvalidInput
        When it cannot be a folder's name, or is taken.
    """
    if not re.fullmatch(ID_PATTERN, task_id) or len(task_id) > LONGEST_ID:
        raise InvalidInput(
            f"The id {task_id!r} cannot be a task's",
            "the id",
            "use letters, digits, dots, dashes and underscores, as in mend-the-parser",
        )
    if suite.exists() and not suite.is_dir():
        raise InvalidInput(
            "A suite is a folder, and this is a file", shown(suite), "name a folder with --suite"
        )
    for path in (suite / task_id, *(suite.iterdir() if suite.is_dir() else ())):
        if path.name.casefold() == task_id.casefold() and path.exists():
            raise _taken(path)


def _taken(path: Path) -> InvalidInput:
    return InvalidInput(
        f"There is a task {path.name!r} already, and nothing is overwritten",
        shown(path),
        "choose another id, or move that folder away",
    )
