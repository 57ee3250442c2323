"""Breaking the machinery on purpose does not keep a failure out of the rate."""

import errno

import pytest

from agenteval.engine.faults import failure


@pytest.mark.parametrize(
    ("number", "agent_done", "disk_full", "passed", "error_class"),
    [
        (errno.ELOOP, True, False, False, "check_no_verdict"),
        (errno.ENAMETOOLONG, True, False, False, "check_no_verdict"),
        (errno.ELOOP, False, False, None, "workspace_failed"),  # of the task's own making
        (errno.EIO, True, False, None, "workspace_failed"),  # of the disk's
        (errno.ENOSPC, True, True, None, "host_disk_full"),
    ],
)
def test_whose_fault_it_was(number, agent_done, disk_full, passed, error_class):
    outcome = failure(OSError(number, "x"), agent_done=agent_done, disk_full=disk_full)
    assert (outcome.passed, outcome.error_class) == (passed, error_class)
