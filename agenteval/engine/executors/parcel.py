"""A task as it travels to another machine: its folder and starting repository, as bytes."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.engine.base import starting_files
from agenteval.engine.scratch import remove, scratch_folder
from agenteval.suite import LoadedTask, is_junk

START = "start"


@dataclass(frozen=True)
class Parcel:
    """One task.

    Attributes
    ----------
    task
        The task, with the paths it has on the machine of the engine.
    data
        Its folder and, where a repository elsewhere is its start, that one's files, as a tar.
    """

    task: LoadedTask
    data: bytes


def pack(task: LoadedTask) -> Parcel:
    """Pack a task.

    Raises
    ------
    Infrastructure
        When its starting repository cannot be had.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        if task.folder.is_dir():
            tar.add(task.folder, f"suite/{task.id}", filter=_no_junk)
        if _starts_elsewhere(task):
            with scratch_folder() as scratch:
                starting_files(task, scratch / "work", scratch / START)
                tar.add(scratch / START, START)
    return Parcel(task, buffer.getvalue())


def unpack(parcel: Parcel, folder: Path) -> LoadedTask:
    """Lay a task out below the empty `folder`, and return it with its paths there."""
    remove(folder)
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(parcel.data)) as tar:
        # the engine packed it: modes and links are to be what they were
        tar.extractall(folder, filter="fully_trusted")
    task = parcel.task
    own = folder / "suite" / task.id
    moved = _mover(task.folder, own)
    return replace(
        task,
        folder=own,
        repo=folder / START if _starts_elsewhere(task) else moved(task.repo),
        source=None,
        solution_patch=moved(task.solution_patch),
        solution_answer=moved(task.solution_answer),
        dockerfile=moved(task.dockerfile),
        wrong=tuple(
            replace(wrong, patch=moved(wrong.patch), answer=moved(wrong.answer))
            for wrong in task.wrong
        ),
    )


def _starts_elsewhere(task: LoadedTask) -> bool:
    """Whether its starting repository is not in its own folder."""
    return task.repo is None or not task.repo.is_relative_to(task.folder)


def _mover(old: Path, new: Path) -> Callable[[Path | None], Path | None]:
    return lambda path: None if path is None else new / path.relative_to(old)


def _no_junk(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if is_junk(Path(entry.name).name) else entry
