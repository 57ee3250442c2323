"""A grading copy to look into."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agenteval.checks import Changes, Grading, Verdict, Work, read_patch, run_check
from agenteval.records import CHECK_KINDS
from agenteval.sandbox import Box, Bubblewrap, Plain, Sandbox, bwrap_works


@pytest.fixture(params=["bwrap", "plain"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "plain":
        return Plain()
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem
    return Bubblewrap()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The grading copy; a test fills it."""
    folder = tmp_path / "grading/workspace"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def run(copy: Path) -> Callable[..., Verdict]:
    """Carry out one check on the copy: `run("file-contains", path="a", text="x")`."""

    def carry_out(
        kind: str,
        *,
        sandbox: Sandbox | None = None,
        answer: str = "",
        cancel=None,
        task_env=None,
        work: Work | None = None,
        **keys,
    ) -> Verdict:
        top = copy.parent
        box = Box(copy, top / "home", top / "tmp", top / "inputs")
        box.create()
        grading = Grading(
            sandbox or Plain(), box, task_env or {}, answer, cancel=cancel, work=work or Work()
        )
        return run_check(CHECK_KINDS[kind](**keys), grading)

    return carry_out


GIT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{key}": "someone@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    },
}


@pytest.fixture
def patched(copy: Path, tmp_path: Path) -> Callable[..., Work]:
    """A real change: `patched({"a.py": "old"}, {"a.py": "new", "gone.py": None})`; None is no file."""

    def change(before: Mapping[str, str], after: Mapping[str, str | None]) -> Work:
        def git(*arguments: str) -> bytes:
            done = subprocess.run(
                ["git", *arguments], cwd=copy, env=GIT, capture_output=True, check=True
            )
            return done.stdout

        git("init", "-q")
        for name, text in before.items():
            _write(copy / name, text)
        git("add", "-A", "-f")
        git("commit", "-q", "--allow-empty", "-m", "start")
        for name, text in after.items():
            _write(copy / name, text)
        git("add", "-A", "-f")
        patch = git("diff", "--cached", "--binary", "--full-index", "--no-renames", "HEAD")
        return Work(changes=Changes(read_patch(patch), patch))

    return change


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
