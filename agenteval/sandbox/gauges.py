"""The looks at what a command uses: control group, process tree, disk."""

from __future__ import annotations

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from agenteval.sandbox.folders import used_bytes, used_files
from agenteval.sandbox.group import MB, Group

Members = Callable[[], Iterable[int]]


class Gauge(Protocol):
    """One thing to look at, each time `interval_s` seconds after the last look."""

    interval_s: float

    def hit(self, members: Members) -> str | None:
        """Name of the limit that was reached."""
        ...


class GroupGauge:
    """What the kernel counts and limits by itself: a look only learns of it."""

    interval_s = 0.5

    def __init__(self, group: Group) -> None:
        self.group = group

    def hit(self, members: Members) -> str | None:
        """memory_limit when a member was killed, process_limit when a fork was refused."""
        del members
        if self.group.memory_hit():
            return "memory_limit"
        return "process_limit" if self.group.processes_hit() else None


class TreeGauge:
    """Where no group can be made: memory and number of the processes that are seen.

    What comes and goes between two looks is missed, so rlimits stand behind it.
    """

    interval_s = 0.2

    def __init__(self, memory_mb: int | None, max_processes: int | None) -> None:
        self.memory_mb, self.max_processes = memory_mb, max_processes

    def hit(self, members: Members) -> str | None:
        """memory_limit or process_limit when the sum over all members is above it."""
        pids = list(members())
        if self.max_processes is not None and sum(map(_threads, pids)) > self.max_processes:
            return "process_limit"
        if self.memory_mb is not None and sum(map(_memory_bytes, pids)) > self.memory_mb * MB:
            return "memory_limit"
        return None


class DiskGauge:
    """Growth of folders since this was made; looks less often where looking takes long."""

    LEAST_S = 0.5
    SHARE = 0.05

    def __init__(self, folders: Sequence[Path], limit_mb: int) -> None:
        self.folders, self.limit_bytes = folders, limit_mb * MB
        self.base_bytes = self._look()

    def hit(self, members: Members) -> str | None:
        """disk_limit when the folders, and open files without a name, have grown by as much."""
        grown = self._look() - self.base_bytes + nameless_bytes(members(), self.folders)
        return "disk_limit" if grown >= self.limit_bytes else None

    def _look(self) -> int:
        started = time.monotonic()
        used = used_bytes(self.folders)
        self.interval_s = max(self.LEAST_S, (time.monotonic() - started) / self.SHARE)
        return used


class SpareGauge:
    """Whatever limit on disk is named: that one command does not take what all of them share.

    Looking is cheap until half of what was free at the start is gone; only then is the command's
    own part in it counted. Files without contents take room too: a file system holds only so many.
    """

    interval_s = 0.5
    # free of what was free, and the own part of it that is too much then
    SHARES = ((0.5, 0.25), (0.25, 1 / 16))
    LEAST_BYTES = 4 * MB  # where less was free, the disk was full before the command came
    LEAST_FILES = 400
    MOST_FILES = 200_000  # whatever a disk can hold: each has to be looked at afterwards

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self.free_bytes, self.free_files = _free(folders)

    def hit(self, members: Members) -> str | None:
        """disk_limit when the folders hold too much of the space, or files, that were free."""
        free_bytes, free_files = _free(self.folders)
        share = _too_much(self.SHARES, free_bytes, self.free_bytes)
        if share is not None and self.free_bytes >= self.LEAST_BYTES:
            used = used_bytes(self.folders) + nameless_bytes(members(), self.folders)
            if used >= self.free_bytes * share:
                return "disk_limit"
        share = _too_much(self.SHARES, free_files, self.free_files)
        most = self.MOST_FILES if self.free_files - free_files >= self.MOST_FILES else math.inf
        if share is not None and self.free_files >= self.LEAST_FILES:
            most = min(most, self.free_files * share)
        if most < math.inf and used_files(self.folders) >= most:
            return "disk_limit"
        return None


def nameless_bytes(pids: Iterable[int], folders: Sequence[Path]) -> int:
    """Bytes on the folders' file systems of files that processes hold open and no folder names."""
    devices = {folder.stat().st_dev for folder in folders}
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        for file in _open_files(pid):
            if not file.st_nlink and file.st_dev in devices:
                found[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(found.values())


def _open_files(pid: int) -> Iterator[os.stat_result]:
    with contextlib.suppress(OSError):  # it has ended meanwhile
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                yield os.stat(f"/proc/{pid}/fd/{name}")  # noqa: PTH116 - of the file itself


def _too_much(shares: Iterable[tuple[float, float]], free: int, free_at_first: int) -> float | None:
    return min((own for left, own in shares if free < left * free_at_first), default=None)


def _free(folders: Sequence[Path]) -> tuple[int, int]:
    """Bytes and files that the fullest file system still takes; no file of one that does not count them."""
    disks = [os.statvfs(folder) for folder in folders]
    return (
        min(disk.f_bavail * disk.f_frsize for disk in disks),
        min(disk.f_favail if disk.f_files else 0 for disk in disks),
    )


def _threads(pid: int) -> int:
    with contextlib.suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208
    return 0


def _memory_bytes(pid: int) -> int:
    """The process's own memory and its share of what it has in common with others."""
    with contextlib.suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        found = re.search(r"^Pss:\s+(\d+) kB$", rollup, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0
    with contextlib.suppress(OSError):
        resident = Path(f"/proc/{pid}/statm").read_text().split()[1]
        return int(resident) * os.sysconf("SC_PAGE_SIZE")
    return 0
