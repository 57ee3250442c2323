"""Small tasks with hidden tests, and agents that would rather forge a verdict than earn one.

An agent here is what it leaves behind: files written over the starting repository. It goes
through a whole trial as a solution of the task, so that its change is frozen and graded as any.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agenteval.engine import Bases, Surroundings, TrialResult, record_tests, run_trial
from agenteval.engine.validate import solution_spec
from agenteval.sandbox import choose_sandbox
from agenteval.suite import LoadedTask, load_suite, write_recorded

# contents of a file, where a link leads, or None to delete
Files = Mapping[str, str | Path | None]


class Workbench:
    """One task on disk, its ids recorded."""

    def __init__(self, folder: Path, repo: Files, hidden: Files, reference: Files, keys: str):
        self.folder = folder / "suite" / "task"
        self.scratch = folder / "scratch"
        _write(self.folder / "repo", repo)
        _write(self.folder / "hidden", hidden)
        _write(self.folder, {"prompt.md": "Mend it.\n", "task.toml": keys})
        self.add("reference", reference)
        (self.folder / "wrong/reference.patch").rename(self.folder / "solution.patch")
        self.around = Surroundings(
            choose_sandbox(), Bases(self.scratch / "bases"), self.scratch / "trials"
        )
        (recording,) = record_tests(
            load_suite(self.folder, unrecorded=True).tasks, sandbox=self.around.sandbox, repeat=1
        )
        assert recording.tests is not None, recording.problem
        self.recorded = recording.tests
        write_recorded(self.folder, recording.tests)

    def add(self, name: str, files: Files) -> None:
        """Keep a change (path -> contents, None deletes) as a wrong solution."""
        sides = self.scratch / "sides"
        shutil.rmtree(sides, ignore_errors=True)
        for side in ("a", "b"):
            shutil.copytree(self.folder / "repo", sides / side, symlinks=True)
        _write(sides / "b", files)
        done = subprocess.run(
            ["git", "diff", "--no-index", "--no-prefix", "--binary", "a", "b"],
            cwd=sides,
            capture_output=True,
        )
        assert done.returncode == 1, done.stderr
        (self.folder / "wrong").mkdir(exist_ok=True)
        (self.folder / "wrong" / f"{name}.patch").write_bytes(done.stdout)

    def task(self) -> LoadedTask:
        return load_suite(self.folder).tasks[0]

    def trial(self, files: Files | None = None, name: str = "agent") -> TrialResult:
        """The trial of an agent that leaves these files; without any, of the reference."""
        if files is not None:
            self.add(name, files)
        return run_trial(solution_spec(self.task(), name, 1), self.around)


def _write(folder: Path, files: Files) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            shutil.rmtree(target)
        if text is None:
            target.unlink()
        elif isinstance(text, Path):
            target.symlink_to(text)
        else:
            target.write_text(text)


@pytest.fixture(scope="session")
def make_workbench(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Workbench]:
    def make(repo: Files, hidden: Files, reference: Files, keys: str) -> Workbench:
        return Workbench(tmp_path_factory.mktemp("bench"), repo, hidden, reference, keys)

    return make
