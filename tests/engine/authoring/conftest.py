"""A repository with a history, made commit by commit, and the engine's part of authoring."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agenteval.engine import scratch_folder
from agenteval.engine.authoring import Drafted, History, Wanted, from_commit, open_history
from agenteval.sandbox import Plain

GIT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
    **{
        f"GIT_{role}_{key}": "someone@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    },
}
SHELF = "def read(text):\n    return text.split('\\n')\n"
FIXED = "def read(text):\n    if not text:\n        return []\n    return text.split('\\n')\n"
TESTS = "from shelf import read\n\n\ndef test_two():\n    assert read('a\\nb') == ['a', 'b']\n"
MORE = TESTS + "\n\ndef test_empty():\n    assert read('') == []\n"


class Repository:
    """A git repository in which a test makes commits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=GIT, capture_output=True, check=False
        )
        assert done.returncode == 0, (arguments, done.stderr.decode())
        return done.stdout.decode().strip()

    def commit(self, message: str, **files: str | None) -> str:
        """Commit files (`a__b.py` is a/b.py, with an underscore before the ending); None deletes."""
        for name, text in files.items():
            above, _, ending = name.replace("__", "/").rpartition("_")
            path = self.folder / f"{above}.{ending}"
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


class Workshop:
    """Where a history's commits become tasks."""

    def __init__(self, folder: Path, scratch: Path, repository: Repository) -> None:
        self.suite, self.scratch, self.repository = folder / "evals", scratch, repository
        self.sandbox = Plain()
        self.history: History = open_history(repository.folder, scratch)

    def make(self, rev: str, **wanted) -> Drafted:
        asked = Wanted(**{"repeat": 1, **wanted})
        change = self.history.commit(rev)
        return from_commit(
            *(self.history, change, self.suite, asked), sandbox=self.sandbox, scratch=self.scratch
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit("Begin", shelf_py=SHELF, tests__test_shelf_py=TESTS, README_md="# Shelf\n")
    return made


@pytest.fixture
def fixed(repository: Repository) -> str:
    """A commit that mends `read` of shelf.py, with a test."""
    message = "fix: read('') gives a line\n\nIn shelf.py an empty file has one line."
    return repository.commit(
        message, shelf_py=FIXED, tests__test_shelf_py=MORE, README_md="# Shelf\n\nMended.\n"
    )


@pytest.fixture
def node() -> None:
    if shutil.which("node") is None:
        assert os.environ.get("CI") != "true", "CI must have node"
        pytest.skip("node is not installed")


@pytest.fixture
def workshop(tmp_path: Path, repository: Repository) -> Iterator[Callable[[], Workshop]]:
    """Opens the repository's history, once its commits are made."""
    with scratch_folder(tmp_path / "scratch") as scratch:
        yield lambda: Workshop(tmp_path, scratch, repository)
