"""What enforces limits on this machine."""

from __future__ import annotations

import os
import threading
from functools import cache

from agenteval.errors import Infrastructure
from agenteval.sandbox.bounds import Bounds
from agenteval.sandbox.custody import Custody
from agenteval.sandbox.folders import can_measure
from agenteval.sandbox.group import Group
from agenteval.sandbox.hierarchy import Hierarchy, discover
from agenteval.sandbox.leftovers import sweep_groups
from agenteval.sandbox.process import run_process

_first = threading.Lock()


def usable_hierarchies() -> tuple[Hierarchy, ...]:
    """Where groups can be made and processes put into them: tried once, with a real process.

    Groups that dead engines left behind are removed first.
    """
    with _first:
        return _usable()


@cache
def _usable() -> tuple[Hierarchy, ...]:
    sweep_groups()
    return tuple(hierarchy for hierarchy in discover() if _admits(hierarchy))


def make_group(
    bounds: Bounds, *, cgroups: bool = True, extra_processes: int = 0, contain: bool = False
) -> Group:
    """Make the control group of one command; one that does nothing where there are none.

    Parameters
    ----------
    cgroups
        Use control groups where this machine has them.
    extra_processes
        How many processes of the sandbox itself will be members.
    contain
        Whether the group must be able to kill its members.

    Raises
    ------
    Infrastructure
        When it cannot be made although groups could be made before.
    """
    most = bounds.max_processes
    try:
        return Group(
            usable_hierarchies() if cgroups else (),
            memory_mb=bounds.memory_mb,
            max_processes=None if most is None else most + extra_processes,
            contain=contain,
        )
    except OSError as error:
        raise Infrastructure(
            f"No control group could be made for the command: {error}",
            "",
            "see `agenteval doctor` for what enforces limits here",
            "sandbox_failed",
        ) from error


def limits_in_force() -> dict[str, str]:
    """What enforces each limit here, in bubblewrap and plain runs.

    Returns
    -------
    dict of str to str
        Limit to `engine`, `cgroup v1`, `cgroup v2`, `polling`, `polling, rlimit` or
        `nothing (...)`.
    """
    by_controller = {
        name: f"cgroup v{hierarchy.version}"
        for hierarchy in usable_hierarchies()
        for name in sorted(hierarchy.serves)
    }
    missing = can_measure()
    # the kernel exempts root from the limit on processes
    processes = "polling" if os.getuid() == 0 else "polling, rlimit"
    return {
        "timeout": "engine",
        "output_limit": "engine",
        "no_progress": "engine" if missing is None else f"engine, output only ({missing})",
        "memory_limit": by_controller.get("memory", "polling, rlimit"),
        "process_limit": by_controller.get("pids", processes),
        "disk_limit": "polling, rlimit" if missing is None else f"rlimit ({missing})",
    }


class _Entering(Custody):
    """Puts a running process into a group."""

    def __init__(self, group: Group) -> None:
        super().__init__()
        self.group = group

    def begin(self, pid: int) -> None:
        self.group.add(pid)


def _admits(hierarchy: Hierarchy) -> bool:
    try:
        group = Group([hierarchy], memory_mb=64, max_processes=8, contain=True)
    except OSError:
        return False
    try:
        # `cat` lives until its input is closed, which is after it was put into the group
        env = {"PATH": "/usr/bin:/bin"}
        done = run_process(
            ["cat"], env=env, stdin=b"x", bounds=Bounds(timeout_s=10), custody=_Entering(group)
        )
    except OSError:
        return False
    finally:
        group.close()
    return done.exit_code == 0
