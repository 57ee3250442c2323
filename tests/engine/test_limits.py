"""Each limit that a task names has its own `ended_by`, and the work is graded all the same."""

import pytest

HOG = "import mmap\nheld = [bytearray(1 << 20) for _ in range(400)]\nprint(len(held))\n"
AGENTS = {
    "memory_limit": ("memory_mb = 64", f"python3 -c '{HOG}'"),
    "process_limit": ("max_processes = 12", "for n in $(seq 40); do sleep 30 & done; wait"),
    "disk_limit": ("disk_mb = 8", "head -c 60000000 /dev/zero > filler; sleep 30"),
    "output_limit": ("max_output_bytes = 100000", "yes"),
    "no_progress": ("no_progress_s = 0.5", "sleep 30"),
    "timeout": ("timeout_s = 0.5", "while :; do echo busy; sleep 0.05; done"),
}


@pytest.mark.parametrize("limit", AGENTS)
def test_limit_ends_the_agent_and_is_named(isolated, limit):
    keys, script = AGENTS[limit]
    task = isolated.task(keys=f"timeout_s = 20\n{keys}" if limit != "timeout" else keys)
    row = isolated.shell(task, f"{script}\n").attempt
    assert (row.ended_by, row.status, row.passed, row.error_class) == (limit, "error", False, limit)


def test_work_finished_before_the_limit_still_passes(isolated):
    row = isolated.shell(
        isolated.task(keys="no_progress_s = 0.5"), "echo fixed > app.txt; sleep 30"
    ).attempt
    assert (row.ended_by, row.status, row.passed) == ("no_progress", "pass", True)


def test_a_shell_that_ends_by_itself_was_ended_by_nobody_else(isolated):
    row = isolated.shell(
        isolated.task(keys="memory_mb = 512\nmax_processes = 50\ndisk_mb = 100"),
        "echo fixed > app.txt",
    ).attempt
    assert (row.ended_by, row.status) == ("agent", "pass")
