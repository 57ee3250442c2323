"""kill -9 of a real `agenteval run` at 50 points: nothing is lost, nothing is done twice."""

import contextlib
import random
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest

KILLS = 25
AGENTS = ("command:echo fixed > app.txt", "scripted:noop")
REPEATS = 25
DEADLINE_S = 60.0


def moments(victim, draw: random.Random) -> Iterator[tuple[str, Callable[[], bool]]]:
    """For ever: what to wait for before the next kill, from the start of a process to its writes."""

    def is_there(pattern: str) -> Callable[[], bool]:
        def look() -> bool:
            with contextlib.suppress(FileNotFoundError):  # folders vanish while they are listed
                return next(victim.tmp.glob(pattern), None) is not None
            return False

        return look

    def size() -> int:
        return victim.folder.journal.stat().st_size if victim.folder.journal.exists() else 0

    def attempts() -> int:
        artifacts = victim.folder.artifacts
        return len(list(artifacts.iterdir())) if artifacts.exists() else 0

    while True:
        kind = draw.choice(["start", "workspace", "grading", "artifacts", "bytes", "bytes"])
        if kind == "start":
            yield kind, is_there("agenteval-*")
        elif kind == "workspace":
            yield kind, is_there("agenteval-*/trials/*/workspace/app.txt")
        elif kind == "grading":
            yield kind, is_there("agenteval-*/trials/*/grading/*")
        elif kind == "artifacts":
            there = attempts()
            yield kind, lambda there=there: attempts() > there
        else:
            upto = size() + draw.randint(1, 9000)
            yield kind, lambda upto=upto: size() >= upto


def kill_when(process: subprocess.Popen[str], moment: Callable[[], bool]) -> bool:
    """Kill the process once it is the moment; False when it ended before."""
    deadline = monotonic() + DEADLINE_S
    while not moment():
        assert monotonic() < deadline
        if process.poll() is not None:
            return False
        threading.Event().wait(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return process.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "more"), [(1, ()), (2, ("--no-sandbox",))])
def test_killed_at_25_moments_each_trial_is_held_once_and_what_was_held_stays(victim, seed, more):
    for name in ("a", "b"):
        victim.bench.task(name)
    command = victim.command(*AGENTS, repeats=REPEATS, more=more)
    draw, killed, before = random.Random(seed), [], b""
    for kind, moment in moments(victim, draw):
        with victim.start(command) as process:
            if not kill_when(process, moment):
                break
        killed.append(kind)
        committed = _committed(victim)
        assert committed.startswith(before), "what was committed before is as it was"
        before = committed
        if len(killed) == KILLS:
            break
    assert len(killed) == KILLS, "the run ended before it was killed often enough"
    code, told = victim.finish(command)
    assert code == 0, told
    assert _committed(victim).startswith(before)
    victim.check_whole(planned=2 * 2 * REPEATS)
    assert victim.journal.bad_lines == []
    assert {row.attempt for row in victim.held} == {1}
    assert list(victim.tmp.glob("agenteval-*")) == [], "scratch of the dead is swept"


def _committed(victim) -> bytes:
    path: Path = victim.folder.journal
    return path.read_bytes()[: victim.journal.good_bytes] if path.exists() else b""
