"""Writing converted tasks: staged and loaded first, then put into the suite, all of them or none."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from agenteval.errors import InvalidInput, TaskError
from agenteval.suite.authoring.placing import check_new, check_suite, check_writable
from agenteval.suite.foreign.conversion import Conversion
from agenteval.suite.load import load_suite
from agenteval.suite.problems import shown
from agenteval.suite.reading import SUITE_FILES
from agenteval.suite.tree import is_junk, leads_inside


@contextmanager
def staged_beside(target: Path) -> Iterator[Path]:
    """A new folder beside a suite, with the suite's own file in it; gone in the end.

    Beside it, since a task's `source` is relative to its suite. Folders that had to be made for it
    and are still empty go too.

    Raises
    ------
    InvalidInput
        When the suite, or something beside it, cannot be made.
    """
    check_suite(target)
    check_writable(target.absolute().parent)
    made = [folder for folder in target.absolute().parents if not folder.exists()]
    target.absolute().parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".import-", dir=target.absolute().parent))
    try:
        for name in SUITE_FILES:
            if (target / name).is_file():
                shutil.copyfile(target / name, staging / name)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        for folder in made:
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def stage(task: Conversion, staging: Path) -> None:
    """Write one task and load it, as any task is.

    Raises
    ------
    TaskError
        When it does not load, or its files cannot be copied; nothing of it is left then.
    """
    folder = staging / task.task_id
    try:
        folder.mkdir()
        _write(task, folder)
        load_suite(folder)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(folder, ignore_errors=True)
        why = _of_the_source(str(error), folder, task)
        raise TaskError(f"Its files cannot be copied: {why}", task.origin, "see the message") from error  # fmt: skip
    except TaskError as error:
        shutil.rmtree(folder, ignore_errors=True)
        parts = (error.what, error.where, error.fix)
        raise TaskError(*(_of_the_source(part, folder, task) for part in parts)) from error


def place(tasks: Sequence[Conversion], staging: Path, target: Path) -> list[Path]:
    """Move staged tasks into a suite; when one cannot be, those before it are taken out again."""
    for task in tasks:
        check_new(target, task.task_id)
    fresh = not target.exists()
    target.mkdir(exist_ok=True)
    placed: list[Path] = []
    try:
        for task in tasks:
            check_new(target, task.task_id)
            placed.append((staging / task.task_id).rename(target / task.task_id))
    except (OSError, InvalidInput):
        for path in placed:
            path.rename(staging / path.name)
        if fresh:
            target.rmdir()
        raise
    return placed


def _of_the_source(text: str, folder: Path, task: Conversion) -> str:
    """A message with the files that were converted named in place of those that are gone again."""
    sources = {PurePosixPath(name): source for name, source in task.copies.items()}

    def named(found: re.Match[str]) -> str:
        path = PurePosixPath(found[1] or ".")
        for above in (path, *path.parents):
            if above in sources and str(path) not in task.files:
                return shown(sources[above] / path.relative_to(above))
        return task.origin if found[1] is None else f"the {path} made of {task.origin}"

    places = {str(folder), str(folder.resolve()), shown(folder)}
    longest = sorted(map(re.escape, places), key=len, reverse=True)
    return re.sub(rf"(?:{'|'.join(longest)})(?:/([^\s,:;'\"()]+))?", named, text)


def _write(task: Conversion, folder: Path) -> None:
    for name, source in task.copies.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, path, symlinks=True, ignore=_left_out, dirs_exist_ok=True)
        else:
            shutil.copy2(source, path)
    for name, contents in task.files.items():
        path = folder / name
        if not leads_inside(path.parent, folder):
            raise TaskError(
                f"{name} would be written through a link that leaves the task",
                task.origin,
                "replace the link by a copy",
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # a link in its place would be written through
        path.write_bytes(contents)
    if task.document:
        (folder / "task.toml").write_text(task.toml(), encoding="utf-8")


def _left_out(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if name == ".git" or is_junk(name)}
