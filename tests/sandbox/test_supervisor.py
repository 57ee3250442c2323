"""Nobody survives: neither a stop, nor the command's own end, nor the death of the engine."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agenteval.errors import Infrastructure
from agenteval.sandbox import Bounds, Bubblewrap, Command, Plain, bwrap_works, run_in
from agenteval.sandbox.group import Group
from agenteval.sandbox.limits import usable_hierarchies
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.owner import is_dead, owner_id
from agenteval.sandbox.process import run_process
from agenteval.sandbox.supervised import Supervised

AMPLE_S = 120.0
# forks twice, leaves the session, ignores every polite request, and closes what it inherited
ESCAPER = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 64)
        open("escaped", "w").close()
        time.sleep(float(sys.argv[1]))
    os._exit(0)
os.wait()
while not os.path.exists("escaped"):
    time.sleep(0.005)
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
"""
ENGINE = """
import sys
from pathlib import Path
from agenteval.sandbox import Bounds, Box, Bubblewrap, Command, Plain, run_in
name, cgroups, folder, code, marker = sys.argv[1:]
parts = {part: Path(folder, part) for part in ("workspace", "home", "tmp", "inputs")}
box = Box(**parts)
box.create()
sandbox = {"bwrap": Bubblewrap, "plain": Plain}[name](cgroups=cgroups == "True")
run_in(
    sandbox,
    box,
    Command(["python3", "-c", code, marker, "600"]),
    bounds=Bounds(memory_mb=500, max_processes=50, disk_mb=50, no_progress_s=600),
    on_output=lambda name, data: print(data.decode(), flush=True),
)
"""


def wait_dead(pids: list[int]) -> None:
    """Wait until these processes have ended."""
    for pid in pids:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        ended = poll.poll(120_000)
        os.close(descriptor)
        assert ended, f"process {pid} lives on"


@pytest.fixture(params=["bwrap", "bwrap, no cgroups", "plain", "plain, no cgroups"])
def sandbox(request):
    cgroups = "no cgroups" not in request.param
    if request.param.startswith("plain"):
        return Plain(cgroups=cgroups)
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    return Bubblewrap(cgroups=cgroups)


def sh(sandbox, box, script, *arguments, **bounds):
    bounds = Bounds(**{"timeout_s": AMPLE_S} | bounds)
    return run_in(sandbox, box, Command(["sh", "-c", script, "sh", *arguments]), bounds=bounds)


class TestEscaper:
    def test_dead_when_the_command_ends_by_itself(self, sandbox, box, alive, marker):
        command = Command(["python3", "-c", ESCAPER, marker, "0"])
        done = run_in(sandbox, box, command, bounds=Bounds(timeout_s=AMPLE_S))
        assert (done.exit_code, done.stopped_by, done.stdout) == (0, None, b"ready\n")
        assert alive() == []

    def test_dead_when_the_command_is_stopped(self, sandbox, box, alive, marker):
        command = Command(["python3", "-c", ESCAPER, marker, "600"])
        bounds = Bounds(max_output_bytes=3, grace_s=0.2, timeout_s=AMPLE_S)
        done = run_in(sandbox, box, command, bounds=bounds)
        assert (done.stopped_by, done.stdout) == ("output_limit", b"ready\n")
        assert alive() == []

    def test_dead_when_the_engine_is_killed(self, sandbox, tmp_path, alive, marker):
        arguments = [sandbox.name, str(sandbox._cgroups), str(tmp_path / "box"), ESCAPER, marker]
        engine = subprocess.Popen(
            [sys.executable, "-c", ENGINE, *arguments],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with engine:
            assert engine.stdout.readline() == b"ready\n"
            living = [pid for pid in alive() if pid != engine.pid]
            assert len(living) >= 2
            engine.kill()
        wait_dead(living)
        assert alive() == []

    @pytest.mark.parametrize("seed", range(6))
    def test_dead_whenever_the_engine_is_killed(self, sandbox, tmp_path, alive, marker, seed):
        """Also in the milliseconds in which a command is being started."""
        busy = ENGINE.replace("run_in(", "print('busy', flush=True)\nwhile True: run_in(")
        code = "import os, sys; os.spawnlp(os.P_NOWAIT, 'setsid', 'setsid', 'sleep', sys.argv[1])"
        arguments = [sandbox.name, str(sandbox._cgroups), str(tmp_path / "box"), code, marker]
        engine = subprocess.Popen(
            [sys.executable, "-c", busy, *arguments],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with engine:
            assert engine.stdout.readline() == b"busy\n"
            time.sleep(random.Random(seed).uniform(0, 0.3))
            engine.kill()
        while living := alive():
            wait_dead(living)

    def test_dead_when_a_listener_fails(self, sandbox, box, alive, marker):
        def fail(stream, data):
            raise ValueError(stream)

        command = Command(["python3", "-c", ESCAPER, marker, "600"])
        with pytest.raises(ValueError, match="stdout"):
            run_in(sandbox, box, command, on_output=fail)
        assert alive() == []


class TestTerm:
    def test_it_reaches_the_agent_itself(self, sandbox, box):
        script = "trap 'echo saved; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
        done = sh(sandbox, box, script, timeout_s=0.8, grace_s=AMPLE_S)
        assert (done.stopped_by, done.exit_code, done.stdout) == ("timeout", 7, b"ready\nsaved\n")

    def test_it_reaches_children_in_a_session_of_their_own(self, sandbox, box):
        child = "trap 'echo child > told; exit' TERM; while :; do sleep 0.05; done"
        script = 'trap : TERM; setsid sh -c "$1" & while ! grep -q child told; do sleep 0.05; done'
        done = sh(sandbox, box, script, child, timeout_s=0.8, grace_s=AMPLE_S)
        assert done.stopped_by == "timeout"
        assert (box.workspace / "told").read_text() == "child\n"

    def test_who_ignores_it_is_killed_after_the_grace(self, sandbox, box, alive, marker):
        script = f"trap '' TERM; echo ready; while :; do sleep 0.05; done; : {marker}"
        done = sh(sandbox, box, script, timeout_s=0.5, grace_s=0.4)
        assert done.stopped_by == "timeout"
        assert done.exit_code in (-signal.SIGKILL, 128 + signal.SIGKILL)
        assert done.duration_s >= 0.9
        assert alive() == []


class TestPlain:
    @pytest.fixture(params=[True, False], ids=["cgroups", "no cgroups"])
    def plain(self, request):
        return Plain(cgroups=request.param)

    def test_exit_codes_and_signals_are_the_commands_own(self, plain, box):
        assert sh(plain, box, "exit 9").exit_code == 9
        assert sh(plain, box, "kill -SEGV $$").exit_code == -signal.SIGSEGV
        assert sh(plain, box, "kill -TERM $$").exit_code == -signal.SIGTERM

    def test_a_program_that_is_not_there_is_an_error_of_the_caller(self, plain, box):
        with pytest.raises(FileNotFoundError):
            run_in(plain, box, Command(["/nowhere/program"]))

    def test_standard_signals_are_as_usual(self, plain, box):
        done = sh(plain, box, "grep -E 'SigIgn|SigBlk' /proc/self/status; yes | head -1")
        assert done.stdout == b"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\ny\n"
        assert done.stderr == b""

    def test_no_descriptor_of_ours_is_inherited(self, plain, box):
        assert sh(plain, box, "ls /proc/self/fd").stdout == b"0\n1\n2\n3\n"

    def test_orphans_are_collected_while_the_command_runs(self, plain, box):
        """Else zombies would fill the limit on processes."""
        script = "for i in $(seq 60); do (sleep 0 &); done; sleep 0.3; echo end"
        done = sh(plain, box, script, max_processes=40)
        assert (done.stopped_by, done.stdout) == (None, b"end\n")

    def test_killing_its_own_group_or_parent_saves_nobody(self, plain, box, alive, marker):
        if not plain._cgroups or not usable_hierarchies():
            pytest.skip(
                "without control groups, an agent that kills the supervisor is out of reach"
            )
        done = sh(plain, box, f"(setsid sleep {marker} &); sleep 0.2; kill -KILL $PPID; sleep 600")
        assert done.exit_code == -signal.SIGKILL
        assert alive() == []

    def test_a_signal_to_group_zero_does_not_reach_the_supervisor(self, plain, box, alive, marker):
        done = sh(plain, box, f"(setsid sleep {marker} &); kill -KILL 0")
        assert done.exit_code == -signal.SIGKILL
        assert alive() == []

    def test_a_group_that_cannot_be_entered_is_infrastructure(self, box, tmp_path):
        with Group(()) as group:
            group._folders.append(tmp_path / "no group")
            with Supervised(Meter(Bounds(), box.writable, group)) as custody:
                env = {"PATH": "/usr/bin:/bin"}
                with pytest.raises(Infrastructure, match="put under its limits"):
                    run_process(["true"], env=env, custody=custody)
            group._folders.clear()

    def test_no_descriptors_leak(self, plain, box):
        sh(plain, box, "true")
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(3):
            sh(plain, box, "true")
            sh(plain, box, "sleep 600", timeout_s=0.2, grace_s=0.1)
        assert len(list(Path("/proc/self/fd").iterdir())) == before


class TestLeftovers:
    SWEEP = "from agenteval.sandbox.limits import usable_hierarchies; usable_hierarchies()"
    LEAVE = """
import os, signal, subprocess, sys
from agenteval.sandbox.group import Group
from agenteval.sandbox.limits import usable_hierarchies
group = Group(usable_hierarchies(), memory_mb=50, max_processes=10, contain=True)
child = subprocess.Popen(["sleep", sys.argv[1]], stdout=subprocess.DEVNULL, start_new_session=True)
group.add(child.pid)
print(*(entry.parent for entry in group.entries), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

    def python(self, code, *arguments):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, env=env
        ).stdout.decode()

    @pytest.fixture(autouse=True)
    def _groups(self):
        if not usable_hierarchies():
            pytest.skip("no control groups here")

    def test_groups_of_a_dead_engine_are_swept_at_the_next_start(self, alive, marker):
        folders = [Path(word) for word in self.python(self.LEAVE, marker).split()]
        assert len(folders) >= 1
        # whichever engine starts next on this machine; if no other did meanwhile, this one
        self.python(self.SWEEP)
        assert not any(folder.exists() for folder in folders)
        assert alive() == []

    def test_groups_of_a_living_engine_are_left_alone(self):
        with Group(usable_hierarchies(), memory_mb=50) as group:
            self.python(self.SWEEP)
            assert all(entry.exists() for entry in group.entries)

    def test_who_is_alive(self):
        assert not is_dead(owner_id())
        namespace, pid, ticks = owner_id().split("-")
        assert is_dead(f"{namespace}-{pid}-{int(ticks) - 1}"), "the number was used again"
        assert not is_dead(f"{int(namespace) + 1}-{pid}-1"), "cannot be known from here"
        assert not is_dead("something else")
        child = subprocess.Popen(["sleep", "600"])
        start = Path(f"/proc/{child.pid}/stat").read_text().rpartition(") ")[2].split()[19]
        name = f"{namespace}-{child.pid}-{start}"
        assert not is_dead(name)
        child.kill()
        child.wait()
        assert is_dead(name)


class TestGroup:
    def test_members_are_killed_however_often_they_fork(self, alive, marker):
        if not usable_hierarchies():
            pytest.skip("no control groups here")
        script = f"while :; do (setsid sleep {marker} &); done"
        child = subprocess.Popen(["sh", "-c", f"read go; {script}"], stdin=subprocess.PIPE)
        with Group(usable_hierarchies(), max_processes=100, contain=True) as group:
            group.add(child.pid)
            child.stdin.write(b"go\n")
            child.stdin.close()
            deadline = time.monotonic() + AMPLE_S
            while not group.processes_hit():
                assert time.monotonic() < deadline
                time.sleep(0.01)
            group.kill()
            assert alive() == []
        assert child.wait() in (-signal.SIGKILL, 2), "killed, or ended since it could not fork"

    def test_a_group_with_groups_inside_is_removed(self):
        if not usable_hierarchies():
            pytest.skip("no control groups here")
        with Group(usable_hierarchies(), max_processes=5, contain=True) as group:
            folders = [entry.parent for entry in group.entries]
            for folder in folders:
                (folder / "inner").mkdir()
        assert not any(folder.exists() for folder in folders)
