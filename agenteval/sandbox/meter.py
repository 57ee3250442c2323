"""What one command uses and changes, and which of its limits it has reached."""

from __future__ import annotations

import contextlib
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from agenteval.errors import Infrastructure
from agenteval.sandbox.bounds import Bounds
from agenteval.sandbox.folders import can_measure, last_change_s
from agenteval.sandbox.gauges import DiskGauge, Gauge, GroupGauge, Members, SpareGauge, TreeGauge
from agenteval.sandbox.group import MB, Group

# Rlimits stop only what outruns the looks, which alone can name the limit: runtimes reserve far
# more addresses than they use, and the user's other programs start processes as well.
ADDRESS_SLACK = 4 << 30
PROCESS_SLACK = 1000


class Meter:
    """Enforces and senses the limits of one command, looking only as often as they ask for.

    Parameters
    ----------
    bounds
        Limits of the command.
    folders
        Its writable folders; may be none.
    group
        The command's control group. For limits that it does not have, the
        process tree is looked at.
    extra_processes
        How many processes of the sandbox itself will be members.

    Attributes
    ----------
    rlimits
        Resource (`resource.RLIMIT_*`) to value, for the first process before it starts the command.
    next_look
        When (`time.monotonic`) `look` has something to do; None for never.
    """

    def __init__(
        self,
        bounds: Bounds,
        folders: Sequence[Path],
        group: Group,
        *,
        extra_processes: int = 0,
    ) -> None:
        self._folders, self.group = folders, group
        most = bounds.max_processes
        processes = None if most is None else most + extra_processes
        self.rlimits: dict[int, int] = {}
        gauges: list[Gauge] = []
        if self.group.limits_memory or self.group.limits_processes:
            gauges.append(GroupGauge(self.group))
        memory_mb = None if self.group.limits_memory else bounds.memory_mb
        processes = None if self.group.limits_processes else processes
        if memory_mb is not None or processes is not None:
            gauges.append(TreeGauge(memory_mb, processes))
        if memory_mb is not None:
            self._cap(resource.RLIMIT_AS, memory_mb * MB + ADDRESS_SLACK)
        if processes is not None:
            self._cap(resource.RLIMIT_NPROC, _threads_of_user() + 10 * processes + PROCESS_SLACK)
        if bounds.disk_mb is not None:
            disk = DiskGauge(folders, bounds.disk_mb) if can_measure() is None else None
            base = 0 if disk is None else disk.base_bytes
            self._cap(resource.RLIMIT_FSIZE, base + bounds.disk_mb * MB)
            gauges += [] if disk is None else [disk]
        if folders and can_measure() is None:
            gauges.append(SpareGauge(folders))
        now = time.monotonic()
        self._due = [(now + gauge.interval_s, gauge) for gauge in gauges]

    @property
    def next_look(self) -> float | None:
        """See the class."""
        return min((due for due, _ in self._due), default=None)

    def _cap(self, limit: int, value: int) -> None:
        """Lower a limit, but never ask for more than we may have ourselves."""
        _, hard = resource.getrlimit(limit)
        self.rlimits[limit] = value if hard == resource.RLIM_INFINITY else min(value, hard)

    def admit(self, pid: int) -> None:
        """Put a member of the group under the other limits, before it starts the command.

        Raises
        ------
        Infrastructure
            When it cannot be put there.
        """
        try:
            for limit, value in self.rlimits.items():
                resource.prlimit(pid, limit, (value, value))
        except ProcessLookupError:
            return  # it has ended already
        except OSError as error:
            raise Infrastructure(
                f"The command could not be put under its limits: {error}",
                f"process {pid}",
                "see `agenteval doctor` for what enforces limits here",
                "sandbox_failed",
            ) from error
        with contextlib.suppress(OSError):  # a host out of memory takes the agent, not the engine
            Path(f"/proc/{pid}/oom_score_adj").write_text("1000")

    def look(self, now: float, members: Members) -> str | None:
        """Name of the limit that was reached, if one is due to be looked at."""
        for place, (due, gauge) in enumerate(self._due):
            if now >= due:
                hit = gauge.hit(members)
                self._due[place] = (time.monotonic() + gauge.interval_s, gauge)
                if hit is not None:
                    return hit
        return None

    def last_look(self) -> str | None:
        """The same once the command has ended, whatever is due.

        Raises
        ------
        Infrastructure
            When the kernel killed a process for want of memory, but not for this limit.
        """
        for _, gauge in self._due:
            hit = gauge.hit(tuple)
            if hit is not None:
                return hit
        if not self.group.was_killed():
            return None
        if (self.group.peak_memory_mb() or 0) * MB > _host_memory_bytes() / 2:
            return "memory_limit"  # the host ran out because of this command
        raise Infrastructure(
            "The host ran out of memory and killed a process of the command",
            "",
            "run fewer trials at a time, or give tasks a memory_mb",
            "host_out_of_memory",
        )

    def last_change_s(self, within_s: float) -> float:
        """Seconds since something in the folders changed, `within_s` if nothing that we can see did."""
        return within_s if can_measure() else last_change_s(self._folders, within_s)

    def peak_memory_mb(self) -> float | None:
        """Most memory in use at one time, in mebibytes; None where nothing counts it."""
        return self.group.peak_memory_mb()


def _threads_of_user() -> int:
    """Processes and threads that this user has now: the kernel counts the limit on top of them."""
    count = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if folder.stat().st_uid == os.getuid():
                    count += len(list((folder / "task").iterdir()))
    return count


def _host_memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
