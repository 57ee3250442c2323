"""Agents that are not of this package: a file, or an entry point of another package; and the list of all."""

import sys

import pytest

from agenteval.agents import agent_catalogue, make_agent
from agenteval.errors import InvalidInput
from agenteval.records import bundled

PACKAGE = """
class Own:
    name = "own"

    def __init__(self, argument):
        self.argument = argument

    def version(self):
        return "3"

    def inputs(self):
        return {}

    def launch(self, job, view):
        return None

    def report(self, job, output):
        return None
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Another package with an entry point."""
    (tmp_path / "own_agents.py").write_text(PACKAGE)
    metadata = tmp_path / "own_agents-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-agents\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[agenteval.agents]\nown = own_agents:Own\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("own_agents", None)


def test_an_entry_point_is_an_agent_by_its_name(installed):
    agent = make_agent("own:fast")
    assert (agent.name, agent.argument, agent.version()) == ("own", "fast", "3")
    (row,) = [row for row in agent_catalogue() if row["agent"] == "own"]
    assert row["what it is"] == "of another package: own_agents:Own"


def test_without_it_the_name_is_unknown():
    with pytest.raises(InvalidInput, match=r"There is no agent 'own'") as error:
        make_agent("own:fast")
    assert "module:path/to/my_agent.py" in error.value.fix


def test_a_file_that_exports_an_agent_is_one():
    path = bundled("notebooks") / "my_agent/adapter.py"
    agent = make_agent(f"module:{path}")
    assert set(agent.inputs()) == {"adapter.py", "loop.py"}


def test_the_list_says_what_each_speaks_and_whether_it_is_here(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTEVAL_AGENTS_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    rows = {row["agent"]: row for row in agent_catalogue()}
    assert set(rows) >= {"aider", "claude-code", "codex", "gemini", "mini-swe-agent", "opencode"}
    formats = {name: row["formats"] for name, row in rows.items()}
    assert formats["mini-swe-agent"] == ["chat", "anthropic"]
    assert (formats["claude-code"], formats["codex"]) == (["anthropic"], ["responses"])
    assert formats["scripted"] == []
    assert rows["opencode"]["applies"] == ["args", "mcp", "settings"]
    assert rows["opencode"]["installed"] == "no"
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "opencode").write_text("#!/bin/sh\necho 1.2.3\n")
    (bin_folder / "opencode").chmod(0o755)
    assert {row["agent"]: row for row in agent_catalogue()}["opencode"]["installed"] == "1.2.3"
