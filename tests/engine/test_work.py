"""What checks get to see is made of what the engine wrote; and a task travels with a start elsewhere."""

import pytest

from agenteval.checks import Metered
from agenteval.engine.executors.parcel import pack, unpack
from agenteval.engine.preflight import metered_records
from agenteval.engine.work import metered_then, traces_then
from agenteval.records import Arm, AttemptRow
from agenteval.suite import load_suite

TOLD = {
    "turns": 3,
    "tool_calls": 9,
    "input_tokens": 10,
    "output_tokens": 10,
    "reported_cost_usd": 0.01,
    "cost_usd": 0.01,
    "skills_loaded": 2,
}


def row(**values):
    base = {"run_id": "r", "trial_id": "t", "suite": "s", "task_id": "a", "task_digest": "d"}
    base |= {"arm": "x", "arm_digest": "y", "agent": "x", "repeat": 1, "status": "pass"}
    return AttemptRow.model_validate(base | values)


@pytest.mark.parametrize("source", ["reported", "recomputed", "unknown"])
def test_what_an_agent_told_is_no_metered_record(source, tmp_path):
    assert metered_then(row(**TOLD, cost_source=source, agent_s=2.0), tmp_path) == Metered(
        duration_s=2.0
    )


def test_what_was_metered_is_one(tmp_path):
    assert metered_then(row(**TOLD, cost_source="metered"), tmp_path) == Metered(cost_usd=0.01)


def test_no_arm_is_metered_but_by_the_clock():
    for spec in ("scripted:noop", "command:true"):
        assert metered_records(Arm(agent_spec=spec)) == {"duration_s"}


@pytest.mark.parametrize("text", [None, b"", b"{", b"3", b'{"a": 1}', b"\xff"])
def test_traces_that_nobody_kept_are_none(tmp_path, text):
    if text is not None:
        (tmp_path / "traces.json").write_bytes(text)
    assert traces_then(tmp_path) == ()


def test_traces_that_were_kept(tmp_path):
    (tmp_path / "traces.json").write_text('["build/OWNED"]\n')
    assert traces_then(tmp_path) == ("build/OWNED",)


def test_a_task_of_a_module_travels_with_its_repository(tmp_path):
    (tmp_path / "kits/one").mkdir(parents=True)
    (tmp_path / "kits/one/app.txt").write_text("broken\n")
    module = tmp_path / "suite.py"
    module.write_text(
        "from agenteval.suite import SuiteDefinition, TaskDefinition\n"
        'suite = SuiteDefinition(tasks=[TaskDefinition(id="a", prompt="x", repo="kits/one", '
        'checks=[{"kind": "file-exists", "path": "app.txt"}])])\n'
    )
    (task,) = load_suite(module).tasks
    there = unpack(pack(task), tmp_path / "elsewhere")
    assert (there.repo / "app.txt").read_text() == "broken\n"
    assert there.repo.is_relative_to(tmp_path / "elsewhere")
