"""Disk space: what a run will need, whether it is there, and the errors when it is not.

Two file systems matter, which may be one: the store's, which grows with every trial, and the
scratch folder's, which holds the starting points and as many workspaces as there are trials at one
time.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agenteval.errors import DiskFull, EngineError, Infrastructure
from agenteval.records import RunFolder, Standing
from agenteval.suite import LoadedTask

MB = 1 << 20
BLOCK = 4096
# What must stay free so that running trials can be recorded and the machine works on: 64 MB, or a
# fiftieth of a small file system.
RESERVE_BYTES, RESERVE_PART = 64 * MB, 50
RESERVE_FILES = 100
# Per trial, while nothing of the run is there to learn from: a handful of small files, and what
# an agent that talks a lot leaves.
LEAST_RECORD, LIKELY_RECORD = 32 << 10, 512 << 10
SAMPLE = 50
RESUME = "resume with the same command and --run-id: only what was running runs again"


@dataclass(frozen=True)
class Need:
    """Bytes that something will take: surely, and as it usually goes."""

    least: int
    likely: int

    def __add__(self, other: Need) -> Need:
        return Need(self.least + other.least, self.likely + other.likely)


def missing_bytes(folder: Path) -> int:
    """Bytes by which the file system of `folder` is below its reserve; 0 when all is well.

    One that has no room for further files lacks at least one byte.
    """
    disk = os.statvfs(folder)
    no_files = disk.f_files > 0 and disk.f_favail < min(RESERVE_FILES, disk.f_files // RESERVE_PART)
    return max(0, _reserve(disk) - disk.f_bavail * disk.f_frsize, int(no_files))


def was_full(folder: Path, error: BaseException | None = None) -> bool:
    """Whether an error says that there was no space, or there is none now where `folder` is."""
    return _says_full(error) or missing_bytes(folder) > 0


def check_room(folder: Path, error_class: str) -> None:
    """Refuse to judge what was done on a full disk: it may have failed for want of space.

    Raises
    ------
    Infrastructure
        When the file system of `folder` is below its reserve.
    """
    if missing_bytes(folder):
        raise Infrastructure(
            "The disk was full, and not by this trial's doing",
            str(folder),
            f"make space, then {RESUME}",
            error_class,
        )


def check_reserve(*folders: Path) -> None:
    """Refuse to go on where a file system is below its reserve.

    Raises
    ------
    DiskFull
        Names the folder.
    """
    for folder in folders:
        if missing_bytes(folder):
            disk = os.statvfs(folder)
            raise DiskFull(
                f"The disk is nearly full: {_mb(disk.f_bavail * disk.f_frsize)} MB are free",
                os.path.realpath(folder),
                f"make space, then {RESUME}",
            )


def full_disk(message: str | None) -> DiskFull:
    """The error for people after a trial had no space to work in."""
    return DiskFull(
        "A trial could not be carried out since the disk is full",
        (message or "").partition("\n")[0],
        f"make space, then {RESUME}",
    )


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn errors of the system into ones that say what to do.

    Raises
    ------
    DiskFull
        When there was no space.
    EngineError
        When it cannot be written otherwise.
    """
    try:
        yield
    except OSError as error:
        raise cannot_write(f"{folder.name} cannot be written", folder, error) from error


def cannot_write(what: str, folder: Path, error: OSError) -> EngineError:
    """The error for people when `folder` took no more."""
    told = f"{what}: {error.strerror or error}"
    if _says_full(error):
        return DiskFull(told, str(folder), f"make space, then {RESUME}")
    return EngineError(told, str(folder), f"make the folder writable, then {RESUME}")


def scratch_need(tasks: Sequence[LoadedTask], concurrency: int) -> Need:
    """What the scratch folder will hold: each task's starting point once, and the workspaces.

    A trial has a workspace and a grading copy. How much of a source repository a checkout takes,
    what builds install and what setup commands make is not known beforehand.
    """
    known = [tree_bytes(folder) for folder in {task.repo for task in tasks if task.repo}]
    sources = [tree_bytes(folder) for folder in {task.source for task in tasks if task.source}]
    growth = max((task.task.disk_mb or 0 for task in tasks), default=0) * MB
    return Need(
        least=sum(known) + concurrency * 2 * max(known, default=0),
        likely=2 * sum(known + sources)
        + concurrency * (3 * max(known + sources, default=0) + growth),
    )


def store_need(trials: int, record_bytes: int | None = None) -> Need:
    """What the store will grow by.

    Parameters
    ----------
    record_bytes
        What a trial of this run took until now, on the average; None for a new run.
    """
    if record_bytes is None:
        return Need(trials * LEAST_RECORD, trials * LIKELY_RECORD)
    return Need(trials * record_bytes, 2 * trials * record_bytes)


def record_bytes(folder: RunFolder, attempts: Sequence[Standing]) -> int | None:
    """Bytes of an attempt's artifacts on disk, mean of the latest ones; None without any."""
    latest = [folder.attempt(row.trial_id, row.attempt) for row in attempts[-SAMPLE:]]
    sizes = [tree_bytes(path) for path in latest if path.is_dir()]
    return sum(sizes) // len(sizes) + BLOCK if sizes else None


def check_needs(
    needs: Mapping[Path, Need], free_bytes: Callable[[Path], int] | None = None
) -> list[str]:
    """Compare needs with free space, summed where folders share a file system; returns warnings.

    Parameters
    ----------
    needs
        Folder, which need not be there yet, to what will be written into it.
    free_bytes
        Free space at a folder above the reserve; asks the system by default.

    Raises
    ------
    DiskFull
        When the least that is needed is not there.
    """
    disks: dict[int, list[tuple[Path, Need]]] = {}
    for folder, need in needs.items():
        disks.setdefault(_existing(folder).stat().st_dev, []).append((folder, need))
    warnings = []
    for places in disks.values():
        free = (free_bytes or _free_above_reserve)(_existing(places[0][0]))
        need = sum((need for _, need in places), Need(0, 0))
        folders = " and ".join(str(folder) for folder, _ in places)
        told = f"about {_mb(need.likely)} MB are needed, at least {_mb(need.least)} MB, and {_mb(free)} MB are free"
        if free < need.least:
            raise DiskFull(
                f"There is too little disk space for this run: {told}",
                folders,
                "make space, use another --store or TMPDIR or a lower --concurrency, or start anyway with --ignore-disk",
            )
        if free < need.likely:
            warnings.append(f"the disk may fill up: {told} ({folders})")
    return warnings


def tree_bytes(folder: Path) -> int:
    """Bytes on disk of a tree, links not followed; what cannot be read counts nothing."""
    total, pending = 0, [os.fspath(folder)]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except OSError:
            continue
    return total


def _free_above_reserve(folder: Path) -> int:
    disk = os.statvfs(folder)
    return max(0, disk.f_bavail * disk.f_frsize - _reserve(disk))


def _reserve(disk: os.statvfs_result) -> int:
    return min(RESERVE_BYTES, disk.f_blocks * disk.f_frsize // RESERVE_PART)


def _says_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _mb(size: int) -> int:
    return -(-size // MB)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    here = folder.absolute()
    while not here.exists():
        here = here.parent
    return here
