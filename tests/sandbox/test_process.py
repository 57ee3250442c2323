"""Running a program to its end, within its bounds."""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from agenteval.sandbox import Bounds, run_process

ENV = {"PATH": "/usr/bin:/bin"}


def sh(script: str, **options):
    return run_process(["sh", "-c", script], env=options.pop("env", ENV), **options)


def test_exit_code_and_both_streams():
    done = sh("echo out; echo err >&2; exit 3")
    assert (done.exit_code, done.stopped_by, done.stdout, done.stderr) == (
        3,
        None,
        b"out\n",
        b"err\n",
    )
    assert 0 < done.duration_s < 60


def test_a_signal_is_a_negative_exit_code():
    assert sh("kill -KILL $$").exit_code == -signal.SIGKILL


def test_a_program_that_is_not_there_is_an_error_of_the_caller():
    with pytest.raises(FileNotFoundError):
        run_process(["/nowhere/program"], env=ENV)


def test_nothing_of_the_operators_environment_is_inherited(monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_OPERATOR", "1")
    done = run_process(["/usr/bin/env"], env={"ONLY": "this"})
    assert done.stdout == b"ONLY=this\n"


def test_standard_input_is_closed_at_once_unless_fed():
    assert sh("cat; echo end").stdout == b"end\n"
    assert sh("cat", stdin=b"fed").stdout == b"fed"


def test_input_that_nobody_reads_does_not_hang():
    assert sh("exit 0", stdin=b"x" * (1 << 22)).exit_code == 0


def test_no_descriptor_of_the_engine_is_inherited(tmp_path: Path):
    with (tmp_path / "journal").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        assert b"journal" not in sh("ls -l /proc/self/fd").stdout


class TestBounds:
    def test_timeout(self):
        done = sh("echo early; sleep 600", bounds=Bounds(timeout_s=0.2))
        assert (done.stopped_by, done.exit_code, done.stdout) == (
            "timeout",
            -signal.SIGTERM,
            b"early\n",
        )

    def test_no_progress_counts_from_the_last_output(self):
        script = "for i in 1 2 3 4; do echo $i; sleep 0.2; done; sleep 600"
        done = sh(script, bounds=Bounds(no_progress_s=0.6, timeout_s=60))
        assert (done.stopped_by, done.stdout) == ("no_progress", b"1\n2\n3\n4\n")

    def test_output_limit_counts_both_streams(self):
        done = sh(
            "echo 1234567; echo 1234567 >&2; sleep 600",
            bounds=Bounds(max_output_bytes=15, timeout_s=60),
        )
        assert done.stopped_by == "output_limit"
        assert (
            sh("echo 1234567; echo 123456 >&2", bounds=Bounds(max_output_bytes=15)).stopped_by
            is None
        )

    def test_a_program_that_ends_on_term_gets_the_time_to(self):
        script = "trap 'echo saved; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
        done = sh(script, bounds=Bounds(timeout_s=0.3, grace_s=30))
        assert (done.stopped_by, done.exit_code, done.stdout) == ("timeout", 7, b"ready\nsaved\n")

    def test_a_program_that_ignores_term_is_killed_after_the_grace(self):
        script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
        done = sh(script, bounds=Bounds(timeout_s=0.2, grace_s=0.2))
        assert (done.stopped_by, done.exit_code) == ("timeout", -signal.SIGKILL)
        assert done.duration_s >= 0.4

    def test_cancel(self):
        cancel = threading.Event()
        done = sh("echo ready; sleep 600", cancel=cancel, on_output=lambda *_: cancel.set())
        assert (done.stopped_by, done.exit_code) == ("cancelled", -signal.SIGTERM)

    def test_cancelled_before_it_starts(self):
        cancel = threading.Event()
        cancel.set()
        assert sh("sleep 600", cancel=cancel).stopped_by == "cancelled"

    def test_an_exit_code_of_its_own_is_not_taken_for_a_stop(self):
        assert sh("exit 143", bounds=Bounds(timeout_s=60)).stopped_by is None


class TestOutput:
    def test_200_mb_stay_bounded_in_memory(self):
        code = (
            "import resource, sys; from agenteval.sandbox import Bounds, run_process\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "done = run_process(['head', '-c', str(200 << 20), '/dev/zero'], env={'PATH': '/usr/bin:/bin'}, bounds=Bounds(keep_bytes=1 << 20))\n"
            "print(len(done.stdout), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
        )
        done = run_process(
            [sys.executable, "-c", code],
            env=ENV | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        kept, grown_kb = map(int, done.stdout.split())
        assert kept < (1 << 20) + 100
        assert grown_kb < 20 << 10

    def test_it_is_seen_as_it_comes(self):
        seen = []
        sh("echo a; echo b >&2", on_output=lambda stream, data: seen.append((stream, data)))
        assert sorted(seen) == [("stderr", b"b\n"), ("stdout", b"a\n")]

    def test_a_listener_that_fails_takes_the_process_down(self, alive, marker):
        def fail(stream: str, data: bytes) -> None:
            raise ValueError(stream)

        with pytest.raises(ValueError, match="stdout"):
            sh(f"echo ready; exec sleep {marker}", on_output=fail)
        assert alive() == []

    def test_what_is_still_in_the_pipe_at_the_end_is_read(self):
        assert len(sh("head -c 60000 /dev/zero").stdout) == 60000


class TestLeftovers:
    def test_children_of_the_same_group_die_with_it(self, alive, marker):
        done = sh(f"sleep {marker} & echo started")
        assert (done.exit_code, done.stdout) == (0, b"started\n")
        assert alive() == []

    def test_a_stranger_who_holds_the_pipe_open_does_not_hold_us_up(self, alive, marker, tmp_path):
        stranger = f"touch {tmp_path}/up; exec sleep {marker}"
        wait = f"while [ ! -e {tmp_path}/up ]; do sleep 0.01; done"
        done = sh(f"setsid sh -c '{stranger}' & {wait}; echo started")
        assert done.stdout == b"started\n"
        assert done.exit_code == 0
        assert done.duration_s < 30
        assert alive(), "without isolation a child in a session of its own is out of reach"

    def test_no_descriptors_leak(self):
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(5):
            sh("echo x", stdin=b"y")
            sh("sleep 600", bounds=Bounds(timeout_s=0.01, grace_s=0.01))
        assert len(list(Path("/proc/self/fd").iterdir())) == before
