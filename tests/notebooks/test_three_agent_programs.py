"""Three real agent programs, scripted models, the demo tasks: from run to report, offline."""

import os

import pytest

from agenteval.agents import make_agent
from agenteval.errors import MissingProgram
from agenteval.reports import render
from agenteval.sandbox import bwrap_works
from agenteval.store import open_store

PROGRAMS = ("claude-code", "codex", "mini-swe-agent")


@pytest.fixture
def installed():
    required = os.environ.get("CI") == "true"
    problem = bwrap_works()
    for name in PROGRAMS:
        try:
            make_agent(name).version()
        except MissingProgram as error:
            problem = problem or error.what
    if problem and not required:
        pytest.skip(problem)
    assert problem is None


@pytest.mark.usefixtures("installed")
def test_from_run_to_report(tmp_path):
    made = render(
        "07_three_agent_programs",
        notebook=tmp_path / "n.ipynb",
        markdown=tmp_path / "n.md",
        parameters={"folder": str(tmp_path / "store")},
    )
    trials = open_store(tmp_path / "store").trials()
    assert len(trials) == 24
    assert set(trials["agent"]) == set(PROGRAMS)
    assert trials["status"].isin(["pass", "fail"]).all(), trials[["agent", "status", "error_class"]]
    assert set(trials["ended_by"]) == {"agent"}
    assert (trials["requests"] >= 1).all()
    assert trials["output_tokens"].notna().all()
    assert (tmp_path / "store/three-programs.html").stat().st_size > 100_000
    text = made.markdown.read_text()
    assert "**Provenance**" in text
    for name in PROGRAMS:
        assert name in text
