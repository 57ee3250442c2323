"""Which process made a thing that may outlive it: a control group, a container."""

from __future__ import annotations

import os
from pathlib import Path

PREFIX = "agenteval-"


def owner_id() -> str:
    """Name of this process that no other process of the machine has had since it booted.

    Process ids are numbers of one PID namespace and are used again, so the namespace and the start
    time belong to the name.
    """
    return f"{_pid_namespace()}-{os.getpid()}-{_start_ticks(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Whether the process with this name has ended; False when this cannot be known from here."""
    namespace, _, rest = owner.partition("-")
    pid, _, ticks = rest.partition("-")
    if namespace != _pid_namespace() or not pid.isdigit() or not ticks.isdigit():
        return False
    return _start_ticks(int(pid)) != int(ticks)


def _pid_namespace() -> str:
    return Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")


def _start_ticks(pid: int) -> int | None:
    """Start time in clock ticks since boot; None for a process that is gone or only a zombie."""
    try:
        # the program's name may hold spaces and brackets, so count from its end
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])
