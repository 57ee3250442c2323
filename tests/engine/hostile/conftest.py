"""A yard in which hostile agents run for real, and what must be as it was when they are done.

An agent is a script in `agents/`. It runs by `run_plan` with bubblewrap, before an honest one on
the same task, whose trial must come out as ever.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, record_tests, run_plan
from agenteval.records import (
    ANSWER,
    PATCH,
    STDERR,
    STDOUT,
    AttemptRow,
    CheckRow,
    StoreFolder,
    read_journal,
)
from agenteval.suite import load_suite, write_recorded

AGENTS = Path(__file__).parent / "agents"
FIXED = '[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt"\n'
REPO = {
    "app.txt": "broken\n",
    "keep/deep/file.txt": "as it was\n",
    "data/locked.txt": "locked\n",
    "tests/test_app.py": "def test_app():\n    assert True\n",
}
KEYS = 'protected = ["data/**"]\ntests = ["tests/**"]\ntimeout_s = 60\n'
HONEST = "command:echo fixed > app.txt"


@dataclass(frozen=True)
class End:
    """What a hostile agent's trial came to, as it is held on disk."""

    row: AttemptRow
    checks: tuple[CheckRow, ...]
    folder: Path

    @property
    def outcome(self) -> tuple[str, bool | None, str | None, str | None]:
        row = self.row
        return str(row.status), row.passed, row.ended_by, row.error_class

    def artifact(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    @property
    def patch(self) -> bytes:
        return self.artifact(PATCH)

    @property
    def stdout(self) -> bytes:
        return self.artifact(STDOUT)

    @property
    def stderr(self) -> bytes:
        return self.artifact(STDERR)

    @property
    def answer(self) -> bytes:
        return self.artifact(ANSWER)

    @property
    def left_out(self) -> list[str]:
        path = self.folder / "left_out.json"
        return json.loads(path.read_text()) if path.exists() else []

    @property
    def everything(self) -> bytes:
        return b"".join(p.read_bytes() for p in sorted(self.folder.rglob("*")) if p.is_file())


class Yard:
    """Folders of an operator, each with a canary, and a way to let an agent loose among them."""

    def __init__(self, bench, folder: Path, token: str) -> None:
        self.bench, self.folder, self.token = bench, folder, token
        self.store = folder / "store"
        self.home, self.outside, self.scratch = (
            folder / "operator",
            folder / "outside",
            folder / "tmp",
        )
        for place in (self.home, self.outside, self.scratch, self.store / "runs/other"):
            place.mkdir(parents=True)
            (place / "canary.txt").write_text(f"secret {token}\n")
        (self.outside / "run.sh").write_text(f"#!/bin/sh\ntouch {self.outside}/executed\n")
        (self.outside / "run.sh").chmod(0o755)

    def unleash(
        self,
        agent: str,
        *,
        keys: str = "",
        checks: str = FIXED,
        repo: Mapping[str, str | bytes] = REPO,
        hidden: Mapping[str, str | bytes] | None = None,
        concurrency: int = 1,
        env: Mapping[str, str] | None = None,
    ) -> End:
        """Run the agent, then (or beside it) the honest one, and look for damage."""
        told = {
            "HOSTILE": self.token,
            "SUITE": str(self.bench.suite),
            "STORE": str(self.store),
            "OPERATOR": str(self.home),
            "OUTSIDE": str(self.outside),
            **(env or {}),
        }
        variables = "\n".join(f"{name} = {json.dumps(value)}" for name, value in told.items())
        self.bench.task(
            keys=f"{keys}\n{KEYS if 'timeout_s' not in keys else KEYS.replace('timeout_s = 60', '')}",
            checks=f"{checks}\n[env]\n{variables}\n",
            repo=repo,
            hidden={"tests/secret.txt": f"secret {self.token}\n", **(hidden or {})},
        )
        return self.go(agent, HONEST, concurrency)

    def go(self, agent: str, honest: str, concurrency: int = 1) -> End:
        suite = self.bench.loaded()
        shell = "python3" if agent.endswith(".py") else "sh"
        hostile, other = make_arm(f"command:{shell} {AGENTS / agent}"), make_arm(honest)
        plans = (
            make_plan("r1", suite.name, suite.tasks, [hostile, other], seed=seed)
            for seed in range(64)
        )
        plan = next(plan for plan in plans if plan.trials()[0].arm.digest == hostile.digest)
        before = self.state()
        settings = Settings(self.store, self.bench.sandbox, concurrency=concurrency)
        result = run_plan(plan, settings)
        assert survivors(self.token) == [], "somebody survived"
        assert self.state() == before, "something outside was changed"
        assert list(self.scratch.glob("agenteval-*")) == [], "scratch was left"
        assert not result.interrupted
        folder = StoreFolder(self.store).run("r1")
        journal = read_journal(folder.journal)
        assert (journal.torn_bytes, journal.bad_lines, len(journal.blocks)) == (0, [], 2)
        ends = {
            block.attempt.arm_digest: End(
                block.attempt,
                block.checks,
                folder.attempt(block.attempt.trial_id, block.attempt.attempt),
            )
            for block in journal.blocks
        }
        assert ends[other.digest].outcome == ("pass", True, "agent", None), "the next trial"
        end = ends[hostile.digest]
        assert self.token.encode() not in end.everything, "a secret was found"
        return end

    def state(self) -> dict[str, tuple[str, int, int, str]]:
        """Kind, times and contents of everything that is not this run's."""
        found = {}
        for top in (self.home, self.outside, self.bench.suite, self.store / "runs/other"):
            for path in [top, *sorted(top.rglob("*"))]:
                status = path.lstat()
                data = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                found[str(path)] = (oct(status.st_mode), status.st_mtime_ns, status.st_nlink, data)
        return found


def survivors(token: str) -> list[int]:
    """Living processes that have the token in their environment or command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text().rpartition(") ")[2][:1]
        except OSError:
            continue
        if token.encode() in told and state not in "ZX":
            found.append(int(entry.name))
    return found


@pytest.fixture
def token() -> Iterator[str]:
    text = uuid.uuid4().hex
    yield text
    for pid in survivors(text):
        os.kill(pid, 9)


@pytest.fixture
def yard(isolated, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch) -> Yard:
    made = Yard(isolated, tmp_path, token)
    monkeypatch.setattr(tempfile, "tempdir", str(made.scratch))
    monkeypatch.setenv("HOME", str(made.home))
    return made


ADD = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "app.txt": "broken\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_zero():\n    assert add(3, 0) == 3\n",
}
HIDDEN = {
    "tests/test_hidden.py": "from calc import add\n\n\ndef test_sum():\n    assert add(2, 2) == 4\n"
}
SUM_KEYS = 'requires = ["python3"]\ntests = ["tests/**"]\n'
SUM_CHECKS = """
[[checks]]
name = "hidden"
kind = "hidden-tests"
[[checks]]
name = "own"
kind = "suite"
[env]
PYTEST_DISABLE_PLUGIN_AUTOLOAD = "1"
"""


@pytest.fixture
def forge(yard: Yard) -> Callable[[str], End]:
    """Let an agent loose on a sum with hidden and own tests; no agent here mends it."""

    def run(agent: str) -> End:
        mended = {"calc.py": ADD["calc.py"].replace("-", "+")}
        folder = yard.bench.suite / "one"
        (folder / "wrong").mkdir(parents=True)
        (folder / "prompt.md").write_text("Fix it.\n")
        (folder / "task.toml").write_text(
            f'id = "one"\n{SUM_KEYS}\n{SUM_CHECKS}HOSTILE = "{yard.token}"\n'
        )
        for name, files in (("repo", ADD), ("hidden", HIDDEN)):
            for path, text in files.items():
                (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / name / path).write_text(text)
        (folder / "solution.patch").write_bytes(yard.bench.patch(folder / "repo", mended))
        (recording,) = record_tests(
            load_suite(folder, unrecorded=True).tasks, sandbox=yard.bench.sandbox, repeat=1
        )
        assert recording.tests is not None, recording.problem
        write_recorded(folder, recording.tests)
        return yard.go(agent, "scripted:reference")

    return run
