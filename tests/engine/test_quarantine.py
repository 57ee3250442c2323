"""A task in the suite's quarantine is not run, not paid for, counted; and runs when it is lifted."""

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, run_plan
from agenteval.records import StoreFolder, read_journal

ENTRY = '[[task]]\nid = "one"\nsince = 2026-01-31\nreason = "fails at midnight"\n'


@pytest.fixture
def run(bench):
    """Runs the suite as it is now, with one arm that says that it ran."""
    for name in ("one", "two"):
        bench.task(name)
    store = StoreFolder(bench.folder / "store")

    def call(*agents):
        loaded = bench.loaded()
        arms = [make_arm(agent) for agent in agents or ("command:echo fixed > app.txt",)]
        plan = make_plan("r1", loaded.name, loaded.tasks, arms)
        result = run_plan(plan, Settings(store.path, bench.sandbox))
        held = [block.attempt for block in read_journal(store.run("r1").journal).blocks]
        return result, [
            (row.task_id, str(row.status), row.error_class, row.attempt) for row in held
        ]

    return call


def test_it_is_skipped_with_its_reason_and_once_however_often_the_run_resumes(bench, run):
    (bench.suite / "quarantine.toml").write_text(ENTRY)
    result, held = run()
    assert sorted(held) == [("one", "skipped", "quarantined", 1), ("two", "pass", None, 1)]
    (row,) = result.set_aside
    assert row.error_message == "quarantined since 2026-01-31: fails at midnight"
    assert (row.cost_usd, row.ended_by, row.agent_s) == (None, None, None)
    result, again = run()
    assert again == held
    assert (result.attempts, result.interrupted) == ([], False)


def test_it_runs_when_the_quarantine_is_lifted(bench, run):
    (bench.suite / "quarantine.toml").write_text(ENTRY)
    run()
    (bench.suite / "quarantine.toml").unlink()
    result, held = run()
    assert [row.task_id for row in result.attempts] == ["one"]
    assert ("one", "pass", None, 2) in held
    (bench.suite / "quarantine.toml").write_text(ENTRY)
    assert run()[1] == held  # an outcome that counts is not taken back by a later quarantine


def test_it_changes_no_digest(bench):
    for name in ("one", "two"):
        bench.task(name)
    before = bench.loaded()
    (bench.suite / "quarantine.toml").write_text(ENTRY)
    after = bench.loaded()
    arms = [make_arm("scripted:noop")]
    assert [task.digest for task in after.tasks] == [task.digest for task in before.tasks]
    assert [task.given_digest for task in after.tasks] == [t.given_digest for t in before.tasks]
    assert make_plan("r", "s", after.tasks, arms).digest == make_plan("r", "s", before.tasks, arms).digest  # fmt: skip
    assert [task.quarantined is None for task in after.tasks] == [False, True]
