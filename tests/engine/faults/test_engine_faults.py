"""A bug of the engine costs a verdict, never what the agent did."""

from dataclasses import replace

import pytest

from agenteval.engine import run_trial
from agenteval.engine import trial as lifecycle
from agenteval.records import PATCH, STDOUT


@pytest.mark.parametrize(
    ("part", "patch_kept"),
    [("take_change", False), ("sensed_in_change", True), ("grade", True), ("attempt_row", True)],
)
def test_a_fault_keeps_what_there_is_until_then(
    plain_bench, monkeypatch: pytest.MonkeyPatch, part, patch_kept
):
    def broken(*args, **kwargs):
        raise ZeroDivisionError(f"a bug in {part}")

    monkeypatch.setattr(lifecycle, part, broken)
    result = plain_bench.shell(plain_bench.task(), "echo fixed > app.txt; echo all done\n")
    row = result.attempt
    assert (row.status, row.passed, row.error_class) == ("error", None, "engine_fault")
    assert row.error_message == f"ZeroDivisionError: a bug in {part}"
    assert (row.exit_code, row.cost_source) == (0, "unknown")
    assert row.agent_s > 0
    assert row.duration_s >= row.agent_s
    assert result.artifacts[STDOUT] == b"all done\n"
    assert (PATCH in result.artifacts) == patch_kept
    assert b"+fixed" in result.artifacts.get(PATCH, b"+fixed")
    assert b"ZeroDivisionError: a bug in" in result.artifacts["engine_fault.txt"]
    assert list((plain_bench.scratch / "trials").iterdir()) == []


def test_a_fault_before_the_agent_is_told_too(plain_bench):
    spec = plain_bench.spec(plain_bench.task(), "scripted:noop")
    result = run_trial(replace(spec, task=replace(spec.task, prompt=None)), plain_bench.around)
    assert result.attempt.error_class == "engine_fault"
    assert set(result.artifacts) == {"engine_fault.txt"}
