"""The looks at what a command uses: control group, process tree, disk."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from agenteval.sandbox.folders import used_bytes
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
        """disk_limit when the folders have grown by as much."""
        del members
        return "disk_limit" if self._look() - self.base_bytes >= self.limit_bytes else None

    def _look(self) -> int:
        started = time.monotonic()
        used = used_bytes(self.folders)
        self.interval_s = max(self.LEAST_S, (time.monotonic() - started) / self.SHARE)
        return used


class SpareGauge:
    """Where no limit on disk is named: that one command does not take what all of them share.

    Looking is cheap until half of what was free at the start is gone; only then is the command's
    own part in it counted.
    """

    interval_s = 0.5
    SHARE = 0.25
    LEAST_BYTES = 4 * MB  # where less was free, the disk was full before the command came

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self.free_bytes = min(map(_free_bytes, folders))

    def hit(self, members: Members) -> str | None:
        """disk_limit when the folders hold a quarter of the space that was free."""
        del members
        if self.free_bytes < self.LEAST_BYTES:
            return None
        if min(map(_free_bytes, self.folders)) >= self.free_bytes / 2:
            return None
        used = used_bytes(self.folders)
        return "disk_limit" if used >= self.free_bytes * self.SHARE else None


def _free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


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
