"""`run` with its budget, shards and changed files; `retry`; `merge`: as they are typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agenteval.records import StoreFolder, read_journal

CHECK = '[[checks]]\nkind = "command"\nrun = "grep -q fixed app.txt"\n'
FIX = "command:echo fixed > app.txt"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for name, covers in (("one", "src/**"), ("two", "docs/**")):
        folder = tmp_path / "evals" / name
        (folder / "repo").mkdir(parents=True)
        (folder / "repo/app.txt").write_text("broken\n")
        (folder / "prompt.md").write_text("Fix it.\n")
        (folder / "task.toml").write_text(f'id = "{name}"\ncovers = ["{covers}"]\n{CHECK}')
    return tmp_path / "evals"


@pytest.fixture
def cli(tmp_path: Path):
    """Run the command line in the project's folder."""

    def run(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, "-m", "agenteval", *arguments],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    return run


def statuses(tmp_path: Path, run: str, store: str = ".agenteval/store") -> list[tuple]:
    blocks = read_journal(StoreFolder(tmp_path / store).run(run).journal).blocks
    return [(b.attempt.task_id, b.attempt.attempt, str(b.attempt.status)) for b in blocks]


def test_a_budget_that_cannot_pay_is_refused_before_anything_runs(suite, cli, tmp_path):
    task = suite / "one/task.toml"
    task.write_text("max_cost_usd = 2\n" + task.read_text())
    done = cli("run", "--agent", FIX, "--max-cost", "1", "--run-id", "r", code=2)
    assert "task one may cost $2" in done.stderr
    assert "Fix: give at least 4" in done.stderr
    assert statuses(tmp_path, "r") == []


def test_a_run_that_is_stopped_short_says_after_how_many_rounds_and_exits_1(suite, cli):
    for name in ("one", "two"):
        task = suite / name / "task.toml"
        task.write_text("timeout_s = 59.9\n" + task.read_text())
    arguments = ("run", "--agent", "command:sleep 0.3", "--repeat", "3", "--concurrency", "1")
    done = cli(*arguments, "--max-minutes", "1", "--run-id", "r", "--json", code=1)
    told = json.loads(done.stdout)
    assert told["rounds"] == 0
    assert "1 minutes allowed" in told["stopped_short"]
    assert cli("status", "r").stdout.count("budget_used_up") == 1


def test_retry_takes_failures_of_the_machinery_only(suite, cli, tmp_path):
    gate = tmp_path / "gate"
    task = suite / "one/task.toml"
    task.write_text(f'setup = ["test -e {gate}"]\n' + task.read_text())
    run = ("run", "--agent", FIX, "--no-sandbox", "--run-id", "r", "--retries", "0")
    done = cli(*run, code=0)
    assert "1 of 2 trials failed in the machinery" in done.stderr
    assert "r has: 1 setup_failed" in cli("retry", "r", code=2).stderr
    assert "raise its pass rate" in cli("retry", "r", "--class", "timeout", code=2).stderr
    refused = cli("retry", "r", "--class", "sandbox_failed", code=2)
    assert "no trial that ended with sandbox_failed; it has: 1 setup_failed" in refused.stderr
    gate.touch()
    done = cli("retry", "r", "--class", "setup_failed", "--no-sandbox")
    assert "1 trial to try again (setup_failed)" in done.stderr
    assert statuses(tmp_path, "r") == [
        ("one", 1, "error"),
        ("two", 1, "pass"),
        ("one", 2, "pass"),
    ] or (statuses(tmp_path, "r") == [("two", 1, "pass"), ("one", 1, "error"), ("one", 2, "pass")])


def test_retry_of_another_agent_is_refused(suite, cli, tmp_path):
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    task = suite / "one/task.toml"
    task.write_text('setup = ["false"]\n' + task.read_text())
    cli("run", "--agent", "command:./agent.sh", "--run-id", "r", "--retries", "0")
    program.write_text("#!/bin/sh\necho fixed > app.txt\n")
    done = cli("retry", "r", "--class", "setup_failed", code=2)
    assert "is not what it was when the run began" in done.stderr


def test_shards_run_apart_and_merge(suite, cli, tmp_path):
    assert "needs the name" in cli("run", "--agent", FIX, "--shard", "1/2", code=2).stderr
    for part in ("1/2", "2/2"):
        arguments = ("--repeat", "3", "--run-id", "night", "--store", f"part{part[0]}")
        done = cli("run", "--agent", FIX, "--shard", part, *arguments)
        assert f"this is part {part[0]} of 2" in done.stderr
        assert "3 trials planned" in done.stderr
    done = cli("merge", "part1", "--run", "night", "--store", "whole")
    assert "3 of 6 trials settled" in done.stdout
    assert "3 have no outcome yet" in done.stderr
    done = cli("merge", "part1", "part2", "--run", "night", "--store", "whole", "--json")
    assert json.loads(done.stdout) == {
        "run_id": "night",
        "taken": 3,
        "known": 3,
        "settled": 6,
        "planned": 6,
        "voids": 0,
    }
    assert "6 of 6 trials, complete" in cli("status", "--store", "whole").stdout
    assert len(statuses(tmp_path, "night", "whole")) == 6
    journal = StoreFolder(tmp_path / "part1").run("night").journal
    trial = read_journal(journal).blocks[0].attempt.trial_id
    cli("void", trial, "--store", "part1", "--reason", "the disk was full")
    done = cli("merge", "part1", "part2", "--run", "night", "--store", "whole")
    assert "1 trial voided in a part: left out here as well" in done.stderr


def test_only_tasks_that_cover_a_change(suite, cli, tmp_path):
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True
        )

    (tmp_path / ".gitignore").write_text("*\n!src\n!src/**\n")
    (tmp_path / "src").mkdir()
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "start", "--allow-empty")
    none = cli("run", "--agent", FIX, "--changed-since", "HEAD")
    assert "nothing to run" in none.stderr
    (tmp_path / "src/a.py").write_text("1\n")
    done = cli("run", "--agent", FIX, "--changed-since", "HEAD", "--run-id", "r")
    assert "1 file changed since HEAD: 1 of 2 tasks cover one" in done.stderr
    assert statuses(tmp_path, "r") == [("one", 1, "pass")]
