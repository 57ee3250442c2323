"""A grading copy to look into."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agenteval.checks import Grading, Verdict, run_check
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
        **keys,
    ) -> Verdict:
        top = copy.parent
        box = Box(copy, top / "home", top / "tmp", top / "inputs")
        box.create()
        grading = Grading(sandbox or Plain(), box, task_env or {}, answer, cancel=cancel)
        return run_check(CHECK_KINDS[kind](**keys), grading)

    return carry_out
