"""A real `agenteval run` in a process of its own, on a suite of tiny tasks, to be hurt."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Progress, RunResult, Settings, make_plan, run_plan
from agenteval.records import AttemptRow, Journal, StoreFolder, is_held, read_journal

FIX = "command:echo fixed > app.txt"


class Victim:
    """One run of a bench's suite, by the command line or in this process."""

    def __init__(self, bench) -> None:
        self.bench, self.store, self.tmp = bench, bench.folder / "store", bench.folder / "tmp"
        self.tmp.mkdir()

    @property
    def folder(self):
        return StoreFolder(self.store).run("r1")

    @property
    def journal(self) -> Journal:
        return read_journal(self.folder.journal)

    @property
    def held(self) -> list[AttemptRow]:
        """Attempts that settle their trial."""
        rows = [block.attempt for block in self.journal.blocks]
        return [row for row in rows if is_held(row.status, row.error_class)]

    def command(self, *agents: str, repeats: int, more: tuple[str, ...] = ()) -> list[str]:
        return [
            *(sys.executable, "-m", "agenteval", "run", str(self.bench.suite)),
            *("--store", str(self.store), "--run-id", "r1", "--repeat", str(repeats)),
            *("--concurrency", "2", *more),
            *(part for agent in agents for part in ("--agent", agent)),
        ]

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.tmp),
            "AGENTEVAL_CACHE": os.environ["AGENTEVAL_CACHE"],
        }

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.bench.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, command: list[str]) -> tuple[int, str]:
        with self.start(command) as process:
            _, told = process.communicate()
        return process.returncode, told

    def plan(self, *agents: str, repeats: int = 1):
        suite = self.bench.loaded()
        arms = [make_arm(agent) for agent in agents]
        return make_plan("r1", suite.name, suite.tasks, arms, repeats=repeats)

    def go(self, plan, progress: Progress | None = None, **changes) -> RunResult:
        return run_plan(plan, Settings(self.store, self.bench.sandbox, **changes), progress)

    def check_whole(self, planned: int) -> None:
        """Zero lost, zero doubled: each trial is settled once, and its artifacts are there."""
        counts = Counter(row.trial_id for row in self.held)
        assert len(counts) == planned
        assert set(counts.values()) == {1}
        for row in self.held:
            folder = self.folder.attempt(row.trial_id, row.attempt)
            assert (folder / "patch.diff").is_file()
            assert (folder / "prompt.md").read_text() == "Fix it."


@pytest.fixture
def victim(bench) -> Victim:
    return Victim(bench)


@pytest.fixture
def plain_victim(plain_bench) -> Victim:
    return Victim(plain_bench)


@pytest.fixture
def mounted(victim: Victim) -> Callable[..., tuple[int, str]]:
    """Run a shell script in mounts of its own, with small file systems where it asks for them."""
    asked = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    if subprocess.run(asked, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here: that takes root")

    def run(script: str, **variables: str | Path) -> tuple[int, str]:
        done = subprocess.run(
            ["unshare", "-m", "sh", "-eu", "-c", script],
            env=victim.environment | {name: str(value) for name, value in variables.items()},
            cwd=victim.bench.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr

    return run
