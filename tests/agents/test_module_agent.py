"""The agent that a suite's own Python module brings along."""

from pathlib import Path

import pytest

from agenteval.agents import applied_keys, make_agent, make_arm
from agenteval.errors import InvalidInput, TaskError

MODULE = """
from agenteval.agents import AgentReport, Launch
from agenteval.suite import SuiteDefinition, TaskDefinition


class Own:
    name = "own"
    {more}

    def version(self):
        return "7"

    def inputs(self):
        return {{"data": "abc"}}

    def launch(self, job, view):
        return Launch(["sh", "-c", "echo fixed > app.txt"])

    def report(self, job, output):
        return AgentReport("done", finished=output.exit_code == 0)


agent = Own()
suite = SuiteDefinition(tasks=[])
"""


@pytest.fixture
def module(tmp_path) -> Path:
    path = tmp_path / "suite.py"
    path.write_text(MODULE.format(more=""))
    return path


def test_it_is_an_arm_with_its_modules_contents(module):
    arm = make_arm(f"module:{module}")
    assert (arm.agent, arm.agent_version) == ("module", "7")
    assert set(arm.inputs) == {"data", "suite.py"}
    module.write_text(MODULE.format(more="extra = 1"))
    assert make_arm(f"module:{module}").digest != arm.digest


def test_it_is_started_and_read_as_it_says(module):
    agent = make_agent(f"module:{module}")
    assert agent.launch(None, None).argv == ["sh", "-c", "echo fixed > app.txt"]


def test_it_is_taken_at_its_word_about_variants(module):
    assert "settings" in applied_keys(f"module:{module}")
    module.write_text(MODULE.format(more="applies = frozenset({'args'})"))
    assert applied_keys(f"module:{module}") == {*("args", "env", "files", "pass_env", "faults")}


def test_a_module_without_an_agent(tmp_path):
    path = tmp_path / "suite.py"
    path.write_text("x = 1\n")
    with pytest.raises(TaskError, match="exports no `agent`"):
        make_arm(f"module:{path}")
    with pytest.raises(TaskError, match="cannot be read"):
        make_arm(f"module:{tmp_path}/none.py")


def test_unknown_agents_are_still_refused():
    with pytest.raises(InvalidInput, match="There is no agent"):
        applied_keys("modul:x.py")
