"""The control group of a container: made and limited by its runtime, read by us."""

from __future__ import annotations

from agenteval.sandbox.bounds import Bounds
from agenteval.sandbox.group import Group
from agenteval.sandbox.hierarchy import folder_of


class Observed(Group):
    """Counters of somebody else's group; what they were at the last look stays known.

    Parameters
    ----------
    bounds
        Limits that the runtime was told to enforce.
    """

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(())
        self.limits_memory = bounds.memory_mb is not None
        self.limits_processes = bounds.max_processes is not None
        self._killed = self._refused = False
        self._peak_mb: float | None = None

    def attach(self, pid: int) -> None:
        """Find the groups of a process, if its /proc can be seen from here."""
        self._memory, self._pids = folder_of(pid, "memory"), folder_of(pid, "pids")

    def memory_hit(self) -> bool:
        """See `Group`; the runtime gave the container no other limit."""
        return self.was_killed() and self.limits_memory

    def was_killed(self) -> bool:
        """See `Group`."""
        self._killed = self._killed or super().was_killed()
        return self._killed

    def processes_hit(self) -> bool:
        """See `Group`."""
        self._refused = self._refused or super().processes_hit()
        return self._refused

    def peak_memory_mb(self) -> float | None:
        """See `Group`."""
        peak = super().peak_memory_mb()
        self._peak_mb = self._peak_mb if peak is None else peak
        return self._peak_mb

    def look(self) -> None:
        """Take note of all counters."""
        for read in (self.was_killed, self.processes_hit, self.peak_memory_mb):
            read()
