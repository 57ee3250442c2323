"""A control group for one command: limits that hold, what was used, and an end nobody escapes."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from agenteval.sandbox.hierarchy import Hierarchy, value_of
from agenteval.sandbox.owner import PREFIX, owner_id

REMOVAL_S = 5.0
PAUSE_S = 0.001
MB = 1 << 20
_numbers = itertools.count(1)


class Group:
    """One control group in each hierarchy that is needed; made at once, removed by `close`.

    Also a context manager, which closes it.

    Parameters
    ----------
    hierarchies
        Where groups can be made here.
    memory_mb
        Mebibytes before the kernel kills; None to count only.
    max_processes
        Processes and threads before no more can be made; None for no limit.
    contain
        Whether `kill` must reach every member.

    Attributes
    ----------
    limits_memory, limits_processes
        Whether these limits are in force.
    """

    def __init__(
        self,
        hierarchies: Sequence[Hierarchy],
        *,
        memory_mb: int | None = None,
        max_processes: int | None = None,
        contain: bool = False,
    ) -> None:
        self.limits_memory = self.limits_processes = False
        self._folders: list[Path] = []
        self._memory: Path | None = None
        self._pids: Path | None = None
        wanted = {"memory"} | ({"pids"} if max_processes else set())
        # where nobody can fork any more, all can be killed
        contain = contain and not any("pids" in h.serves & wanted for h in hierarchies)
        name = f"{PREFIX}{owner_id()}-{next(_numbers)}"
        try:
            for hierarchy in hierarchies:
                if hierarchy.serves & wanted or (contain and hierarchy.kills):
                    self._make(hierarchy, name)
            if self._memory is not None and memory_mb is not None:
                _limit_memory(self._memory, memory_mb * MB)
                self.limits_memory = True
            if self._pids is not None and max_processes is not None:
                (self._pids / "pids.max").write_text(str(max_processes))
                self.limits_processes = True
        except OSError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _make(self, hierarchy: Hierarchy, name: str) -> None:
        folder = hierarchy.folder / name
        folder.mkdir()
        self._folders.append(folder)
        if "memory" in hierarchy.serves:
            self._memory = folder
        if "pids" in hierarchy.serves:
            self._pids = folder

    @property
    def entries(self) -> list[Path]:
        """Files into which a process without threads must write 0, to become a member.

        In version 1, where a thread may enter alone, the kernel need not wait for all processors:
        some 10 ms that every command would pay for each group.
        """
        return [
            folder / ("tasks" if (folder / "tasks").exists() else "cgroup.procs")
            for folder in self._folders
        ]

    def add(self, pid: int) -> None:
        """Make a process a member, and with it all that it will start."""
        for folder in self._folders:
            (folder / "cgroup.procs").write_text(str(pid))

    def memory_hit(self) -> bool:
        """Whether the kernel killed a member because the group's own limit was reached."""
        return self.limits_memory and self.was_killed() and self._reached_memory()

    def was_killed(self) -> bool:
        """Whether the kernel killed a member for want of memory, the group's or the host's."""
        events = value_of(self._memory, "memory.events", "oom_kill")
        return (events or value_of(self._memory, "memory.oom_control", "oom_kill") or 0) > 0

    def processes_hit(self) -> bool:
        """Whether a process or thread was refused because the limit was reached."""
        return self.limits_processes and (value_of(self._pids, "pids.events", "max") or 0) > 0

    def peak_memory_mb(self) -> float | None:
        """Most that was in use at one time; None where it is not counted."""
        for name in ("memory.peak", "memory.max_usage_in_bytes"):
            peak = value_of(self._memory, name)
            if peak is not None:
                return peak / MB
        return None

    def kill(self) -> None:
        """Kill every member, however often it forks."""
        kill_members(self._folders)

    def close(self) -> None:
        """Kill who is left and remove the group; one that stays busy is left to a later sweep."""
        remove_groups(self._folders)

    def _reached_memory(self) -> bool:
        if value_of(self._memory, "memory.events", "oom"):
            return True
        # version 1: its counter of refusals stays 0 in recent kernels
        names = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")
        limit = value_of(self._memory, "memory.limit_in_bytes")
        peaks = [value_of(self._memory, name) or 0 for name in names]
        return limit is not None and max(peaks) >= limit - MB


def _limit_memory(folder: Path, limit_bytes: int) -> None:
    """Version 2 or 1, whichever files the group has; what would be swapped out counts as well."""
    if (folder / "memory.max").exists():
        (folder / "memory.max").write_text(str(limit_bytes))
        swap, limit = "memory.swap.max", "0"
    else:
        (folder / "memory.limit_in_bytes").write_text(str(limit_bytes))
        swap, limit = "memory.memsw.limit_in_bytes", str(limit_bytes)
    with contextlib.suppress(OSError):  # not every kernel counts swap
        (folder / swap).write_text(limit)


def kill_members(folders: Iterable[Path]) -> None:
    """Kill all processes in these groups and below, and wait until they are gone (at most 5 s)."""
    every = [Path(path) for folder in folders for path, _, _ in os.walk(folder)]
    deadline = time.monotonic() + REMOVAL_S
    while time.monotonic() < deadline:
        members = _members(every)
        if not members:
            return
        for folder in every:
            # version 2 kills all at once; elsewhere nobody can fork faster than we kill
            for name, text in (("cgroup.kill", "1"), ("pids.max", "0")):
                with contextlib.suppress(OSError):
                    (folder / name).write_text(text)
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE_S)


def remove_groups(folders: Iterable[Path]) -> bool:
    """Remove groups with all that is in them; False when one is still busy after 5 s."""
    left = [folder for folder in folders if not _removed(folder)]
    if left:
        kill_members(left)
    deadline = time.monotonic() + REMOVAL_S
    while left and time.monotonic() < deadline:
        # a killed member stays busy until the kernel has let go of it
        time.sleep(PAUSE_S)
        for folder in left:
            for path, _, _ in os.walk(folder, topdown=False):
                _removed(Path(path))
        left = [folder for folder in left if folder.exists()]
    return not left


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _members(folders: Iterable[Path]) -> set[int]:
    found: set[int] = set()
    for folder in folders:
        with contextlib.suppress(OSError):
            found |= {int(line) for line in (folder / "cgroup.procs").read_text().split()}
    return found - {0}
