"""What a failure of the machinery comes to: never a zero, unless the agent's own files caused it."""

from __future__ import annotations

import errno

from agenteval.records import Outcome, decide

# What files of odd names, kinds and depths make system calls fail with.
MADE_BY_FILES = frozenset(
    {errno.ENAMETOOLONG, errno.ELOOP, errno.E2BIG, errno.ENOTDIR, errno.EISDIR, errno.EMLINK}
)


def made_by_files(error: BaseException) -> bool:
    """Whether files that an agent can make are enough to cause this error."""
    return isinstance(error, OSError) and error.errno in MADE_BY_FILES


def failure(error: BaseException, *, agent_done: bool, disk_full: bool) -> Outcome:
    """Outcome of an attempt that an error ended.

    Parameters
    ----------
    agent_done
        Whether the agent had run: then breaking things on purpose must not keep a failure out of
        the rate.
    disk_full
        Whether the machine had no space left, which is never the agent's own doing here.
    """
    if disk_full:
        return decide(ended_by="infrastructure", infrastructure="host_disk_full")
    if agent_done and made_by_files(error):
        return decide(ended_by="agent", check_errors=["check_no_verdict"])
    return decide(ended_by="infrastructure", infrastructure="workspace_failed")
