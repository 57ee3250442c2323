"""Each limit stops what reaches it, is named, and leaves neither a process nor a control group."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from agenteval.errors import Infrastructure
from agenteval.sandbox import Bounds, Bubblewrap, Command, Plain, bwrap_works, run_in
from agenteval.sandbox.group import Group
from agenteval.sandbox.hierarchy import tops
from agenteval.sandbox.limits import limits_in_force, usable_hierarchies
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.owner import PREFIX, owner_id

HOG = """
import sys, time
held = []
for _ in range(40):
    held.append(bytearray(10 << 20))
    time.sleep(0.01)
time.sleep(float(sys.argv[1]))
"""
AMPLE_S = 120.0


def own_groups() -> list[Path]:
    name = f"{PREFIX}{owner_id()}-*"
    return [folder for top in tops() for folder in top.rglob(name)]


@pytest.fixture(params=["bwrap", "bwrap, no cgroups", "plain", "plain, no cgroups"])
def sandbox(request):
    cgroups = "no cgroups" not in request.param
    if request.param.startswith("plain"):
        return Plain(cgroups=cgroups)
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    return Bubblewrap(cgroups=cgroups)


@pytest.fixture
def run(sandbox, box, alive):
    """Run a shell script (or an argv) within bounds; afterwards nothing of it is left."""

    def run(script, *arguments, **bounds):
        argv = script if isinstance(script, list) else ["sh", "-c", script, "sh", *arguments]
        bounds = Bounds(**{"timeout_s": AMPLE_S, "grace_s": 0.3} | bounds)
        done = run_in(sandbox, box, Command(argv), bounds=bounds)
        assert alive() == []
        assert own_groups() == []
        return done

    return run


class TestMemory:
    def test_a_hog_is_stopped(self, run, marker):
        done = run(["python3", "-c", HOG, marker], memory_mb=100)
        assert done.stopped_by == "memory_limit"
        assert done.exit_code != 0

    def test_memory_is_counted_over_all_processes(self, run, marker):
        each = HOG.replace("range(40)", "range(4)")
        script = f"for i in 1 2 3 4; do python3 -c '{each}' {marker} & done; wait"
        assert run(script, memory_mb=100).stopped_by == "memory_limit"

    def test_within_the_limit_nothing_happens(self, run):
        done = run(["python3", "-c", HOG, "0"], memory_mb=600)
        assert (done.stopped_by, done.exit_code) == (None, 0)

    def test_the_peak_is_known_where_the_kernel_counts(self, run, sandbox):
        done = run(["python3", "-c", HOG, "0"])
        if "cgroup" in limits_in_force()["memory_limit"] and sandbox._cgroups:
            assert 400 < done.peak_memory_mb < 600
        else:
            assert done.peak_memory_mb is None

    def test_a_child_that_is_killed_names_the_limit_though_the_command_ends_well(
        self, run, sandbox
    ):
        if "cgroup" not in limits_in_force()["memory_limit"] or not sandbox._cgroups:
            pytest.skip("only the kernel sees what ends between two looks")
        done = run(f"trap : TERM; python3 -c '{HOG}' 0; echo $?", memory_mb=100)
        assert (done.exit_code, done.stopped_by, done.stdout) == (0, "memory_limit", b"137\n")


class TestProcesses:
    def test_a_crowd_is_stopped(self, run, marker):
        done = run(f"while :; do sleep {marker} & done", max_processes=30)
        assert done.stopped_by == "process_limit"

    def test_a_fork_bomb_is_stopped(self, run, sandbox, marker):
        if "cgroup" not in limits_in_force()["process_limit"] or not sandbox._cgroups:
            pytest.skip("a bomb that doubles may outrun looks")
        bomb = f"bomb() {{ bomb | bomb & bomb; }}; : {marker}; bomb"
        assert run(bomb, max_processes=60).stopped_by == "process_limit"

    def test_threads_count(self, run, marker):
        code = (
            "import sys, threading, time\n"
            "for _ in range(40): threading.Thread(target=time.sleep, args=[float(sys.argv[1])]).start()"
        )
        assert run(["python3", "-c", code, marker], max_processes=20).stopped_by == "process_limit"

    def test_within_the_limit_nothing_happens(self, run):
        done = run("for i in 1 2 3 4 5; do sleep 0.1 & done; wait", max_processes=6)
        assert (done.stopped_by, done.exit_code) == (None, 0)


class TestDisk:
    def test_one_big_file(self, run, box):
        done = run("cat /dev/zero > big; sleep 600", disk_mb=20)
        assert done.stopped_by == "disk_limit"
        assert (box.workspace / "big").stat().st_size <= 21 << 20

    def test_many_files(self, run):
        script = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > "file $i"; done'
        assert run(script, disk_mb=20).stopped_by == "disk_limit"

    def test_home_and_tmpdir_count(self, run):
        script = 'head -c 6000000 /dev/zero > "$HOME/x"; head -c 6000000 /dev/zero > "$TMPDIR/x"; sleep 600'
        assert run(script, disk_mb=11).stopped_by == "disk_limit"

    def test_what_was_there_before_does_not_count(self, run, box):
        (box.workspace / "before").write_bytes(b"x" * (30 << 20))
        done = run("head -c 5000000 /dev/zero > more; sleep 1", disk_mb=20)
        assert (done.stopped_by, done.exit_code) == (None, 0)

    def test_a_limit_reached_at_the_very_end_is_named(self, run):
        done = run("head -c 9000000 /dev/zero > a; head -c 9000000 /dev/zero > b", disk_mb=15)
        assert (done.stopped_by, done.exit_code) == ("disk_limit", 0)


class TestOutput:
    def test_a_printer_without_end_fills_neither_memory_nor_disk(self, run, box, marker):
        done = run(["yes", marker], max_output_bytes=50 << 20)
        assert done.stopped_by == "output_limit"
        assert len(done.stdout) <= (1 << 20) + 60
        assert b" bytes left out ...]" in done.stdout
        files = [path for path in box.workspace.parent.rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in files) < 1 << 20


class TestProgress:
    def test_a_silent_sleeper_is_stopped(self, run, marker):
        assert run(["sleep", marker], no_progress_s=0.4).stopped_by == "no_progress"

    def test_files_that_change_are_progress(self, run):
        script = 'for place in . "$HOME" "$TMPDIR"; do for i in 1 2 3; do echo > "$place/$i"; sleep 0.3; done; done'
        done = run(script, no_progress_s=0.8)
        assert (done.stopped_by, done.exit_code) == (None, 0)

    def test_after_the_last_change_the_time_runs(self, run):
        script = "for i in 1 2 3; do mkdir d$i; sleep 0.2; done; sleep 600"
        done = run(script, no_progress_s=0.8)
        assert done.stopped_by == "no_progress"
        assert done.duration_s > 1.2

    def test_a_time_set_back_does_not_hide_a_change(self, run):
        script = "for i in 1 2 3 4; do touch -d 2001-01-01 old; sleep 0.3; done"
        assert run(script, no_progress_s=0.8).stopped_by is None

    def test_activity_elsewhere_is_progress(self, run):
        until = time.monotonic() + 1.5
        done = run("sleep 600", no_progress_s=0.3, activity=lambda: min(time.monotonic(), until))
        assert done.stopped_by == "no_progress"
        assert time.monotonic() >= until + 0.3

    def test_no_activity_yet_is_no_progress(self, run):
        assert (
            run("sleep 600", no_progress_s=0.3, activity=lambda: None).stopped_by == "no_progress"
        )


class TestNames:
    def test_the_first_limit_is_the_one_that_is_named(self, run):
        done = run("trap '' TERM; while :; do echo x; done", timeout_s=0.5, max_output_bytes=10**12)
        assert done.stopped_by == "timeout"

    def test_a_command_within_all_limits(self, run):
        bounds = {"memory_mb": 200, "max_processes": 20, "disk_mb": 20, "no_progress_s": 60}
        done = run("echo fine; echo x > x; exit 4", **bounds)
        assert (done.exit_code, done.stopped_by, done.stdout) == (4, None, b"fine\n")

    def test_what_enforces_each_limit_is_told(self):
        ways = limits_in_force()
        assert set(ways) == {
            "timeout", "output_limit", "no_progress", "memory_limit", "process_limit", "disk_limit",
        }  # fmt: skip
        assert all(ways.values())


class TestIsolatedMemory:
    """Files in memory cannot be used to get around a limit in bubblewrap."""

    def test_shared_memory_is_bounded(self, bwrap, box):
        script = "head -c 400000000 /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x"
        done = run_in(bwrap, box, Command(["sh", "-c", script]))
        assert done.stdout == b"%d\n" % (256 << 20)

    def test_shared_memory_counts_as_memory(self, bwrap, box):
        if "cgroup" not in limits_in_force()["memory_limit"]:
            pytest.skip("no control groups here")
        script = "head -c 200000000 /dev/zero > /dev/shm/x; sleep 600"
        bounds = Bounds(memory_mb=100, timeout_s=AMPLE_S, grace_s=0.3)
        done = run_in(bwrap, box, Command(["sh", "-c", script]), bounds=bounds)
        assert done.stopped_by == "memory_limit"

    @pytest.mark.parametrize("place", ["/", "/dev", "/home", "/etc"])
    def test_nowhere_else_can_be_written(self, bwrap, box, place):
        done = run_in(bwrap, box, Command(["sh", "-c", f"touch {place}/new"]))
        assert done.exit_code == 1
        assert b"Read-only file system" in done.stderr

    def test_a_hidden_folder_is_no_place_to_write_either(self, bwrap, make_box, tmp_path):
        (tmp_path / "shown/hidden").mkdir(parents=True)
        box = make_box(read_only=(tmp_path / "shown",), hidden=(tmp_path / "shown/hidden",))
        done = run_in(bwrap, box, Command(["touch", f"{tmp_path}/shown/hidden/x"]))
        assert b"Read-only file system" in done.stderr


class TestHost:
    def test_a_kill_for_want_of_memory_that_was_not_ours_is_infrastructure(self, box):
        """Stands for the host's own OOM killer: the group was killed in, but has no limit."""
        if "cgroup" not in limits_in_force()["memory_limit"]:
            pytest.skip("no control groups here")
        bounds = Bounds(memory_mb=64, timeout_s=AMPLE_S)
        with Group(usable_hierarchies(), memory_mb=64) as group:
            meter = Meter(bounds, box.writable, group)
            pid = os.spawnv(os.P_NOWAIT, sys.executable, ["python3", "-c", "input()"])
            group.add(pid)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            assert meter.last_look() is None, "killed, but not for want of memory"
            code = f"open('{group.entries[0]}', 'w').write('0'); x = bytearray(200 << 20)"
            pid = os.spawnv(os.P_NOWAIT, sys.executable, ["python3", "-c", code])
            os.waitpid(pid, 0)
            assert meter.last_look() == "memory_limit"
            group.limits_memory = False
            with pytest.raises(Infrastructure) as caught:
                meter.last_look()
        assert caught.value.error_class == "host_out_of_memory"
