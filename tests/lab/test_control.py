"""An arm already measured is not paid for again, and drift is named."""

import os
from collections import Counter
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, run_plan
from agenteval.errors import InvalidInput
from agenteval.lab import reuse_control
from agenteval.records import StoreFolder, read_journal
from agenteval.sandbox import choose_sandbox
from agenteval.store import open_store, seal, void
from agenteval.suite import load_suite

TASKS = "abcdefg"
CHECK = '[[checks]]\nkind = "command"\nrun = "grep -q fixed app.txt"\n'
FIX = "command:echo fixed > app.txt"
NOOP = "command:true"


class Lab:
    """A suite of seven tasks and a store."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, folder / "store"
        for name in TASKS:
            task = folder / "evals" / name
            (task / "repo").mkdir(parents=True)
            (task / "repo/app.txt").write_text("broken\n")
            (task / "prompt.md").write_text("Fix it.\n")
            (task / "task.toml").write_text(f'id = "{name}"\n{CHECK}')
        self.settings = Settings(self.store, choose_sandbox("auto"), concurrency=2)

    def plan(self, run_id: str, *agents: str, repeats: int = 1, files: tuple[Path, ...] = ()):
        suite = load_suite(self.folder / "evals")
        arms = [make_arm(agent, files=files) for agent in agents]
        return make_plan(run_id, suite.name, suite.tasks, arms, repeats=repeats)

    def measure(self, run_id: str, *agents: str, repeats: int = 1, **changes) -> None:
        run_plan(self.plan(run_id, *agents, repeats=repeats, **changes), self.settings)
        seal(self.store, [run_id])

    def held(self, run_id: str):
        journal = StoreFolder(self.store).run(run_id).journal
        return [block.attempt for block in read_journal(journal).blocks]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("AGENTEVAL_CACHE", str(tmp_path / "cache"))
    return Lab(tmp_path)


def test_the_control_is_taken_over_and_only_the_candidate_runs(lab):
    lab.measure("old", FIX, repeats=2)
    plan = lab.plan("new", FIX, NOOP, repeats=2)
    reused = reuse_control(plan, lab.settings, "old")
    assert (reused.source, reused.trials, reused.arms) == ("old", 14, (FIX,))
    done = run_plan(plan, lab.settings)
    assert {row.arm for row in done.attempts} == {NOOP}
    rows = lab.held("new")
    assert Counter((row.arm, row.reused_from) for row in rows) == {
        (FIX, "old"): 14,
        (NOOP, None): 14,
    }
    assert sorted(row.trial_id for row in rows) == sorted(spec.trial_id for spec in plan.trials())
    seal(lab.store, ["new"])
    store = open_store(lab.store)
    trials = store.trials(run="new")
    assert trials.groupby("arm")["passed"].sum().to_dict() == {FIX: 14, NOOP: 0}
    # its checks and artifacts came with it, under its own name
    mine = trials[trials["arm"] == FIX].iloc[0]
    trial = store.trial(mine["trial_id"])
    assert trial.diff.count("+fixed") == 1
    assert trial.checks["passed"].tolist() == [True]


def test_fresh_trials_of_five_tasks_twice_show_no_drift(lab):
    lab.measure("old", FIX)
    reused = reuse_control(lab.plan("new", FIX, NOOP), lab.settings, "old")
    (drift,) = reused.drift
    fresh = lab.held(drift.run_id)
    assert Counter(Counter(row.task_id for row in fresh).values()) == {2: 5}
    assert {row.reused_from for row in fresh} == {None}
    assert not drift.drifted
    assert "shows no drift" in str(drift)
    # they are no trials of the run itself
    assert {row.run_id for row in lab.held("new")} == {"new"}
    assert len(lab.held("new")) == 7


def test_an_arm_that_does_something_else_now_is_named(lab):
    """Its program and version are what they were: the model behind it changed."""
    world = lab.folder / "world"
    world.mkdir()
    (world / "answer").write_text("fixed\n")
    settings = Settings(lab.store, choose_sandbox("plain"), concurrency=2)
    lab.settings = settings
    agent = f"command:cat {world}/a* > app.txt"
    lab.measure("old", agent)
    (world / "answer").write_text("wrong\n")
    (drift,) = reuse_control(lab.plan("new", agent, NOOP), settings, "old").drift
    assert drift.drifted
    assert "has DRIFTED" in str(drift)
    assert "-100.0 points" in str(drift)


def test_again_takes_over_nothing_twice_and_pays_for_no_second_canary(lab):
    lab.measure("old", FIX)
    plan = lab.plan("new", FIX, NOOP)
    reuse_control(plan, lab.settings, "old")
    again = reuse_control(plan, lab.settings, "old")
    assert again.trials == 0
    assert [len(result.attempts) for result in again.results] == [0]
    assert len(again.drift) == 1
    assert len(lab.held("new")) == 7


class TestRefused:
    def test_what_is_too_old(self, lab):
        lab.measure("old", FIX)
        with pytest.raises(
            InvalidInput, match="no trial that this plan could take over"
        ) as refused:
            reuse_control(lab.plan("new", FIX), lab.settings, "old", max_age="0m")
        assert "an age of at most 0m" in refused.value.fix

    def test_another_task_or_agent(self, lab):
        program = lab.folder / "agent.sh"
        program.write_text("true\n")
        agent = f"command:sh {program}"
        lab.measure("old", agent)
        program.write_text("echo fixed > app.txt\n")
        with pytest.raises(InvalidInput, match="no trial that this plan could take over"):
            reuse_control(lab.plan("new", agent), lab.settings, "old")
        assert not StoreFolder(lab.store).run("new").path.exists()
        program.write_text("true\n")
        for name in TASKS[1:]:
            task = lab.folder / "evals" / name / "task.toml"
            task.write_text(task.read_text().replace("fixed", "done"))
        assert reuse_control(lab.plan("new", agent), lab.settings, "old").trials == 1

    def test_another_isolation(self, lab):
        if not lab.settings.sandbox.isolates:
            assert os.environ.get("CI") != "true"
            pytest.skip("needs two kinds of isolation")
        lab.measure("old", FIX)
        plain = Settings(lab.store, choose_sandbox("plain"))
        with pytest.raises(InvalidInput, match="no trial that this plan could take over"):
            reuse_control(lab.plan("new", FIX), plain, "old")

    def test_voided_trials_and_those_that_do_not_count(self, lab):
        lab.measure("old", FIX)
        void(lab.store, "old", reason="wrong machine")
        with pytest.raises(InvalidInput, match="no trial that this plan could take over"):
            reuse_control(lab.plan("new", FIX), lab.settings, "old")


def test_what_was_taken_over_costs_this_run_nothing(lab):
    for name in TASKS:
        patch = "--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-broken\n+fixed\n"
        (lab.folder / "evals" / name / "solution.patch").write_text(patch)
    lab.measure("old", "scripted:chance:1")
    plan = lab.plan("new", "scripted:chance:1", NOOP)
    reused = reuse_control(plan, lab.settings, "old")
    assert reused.spent_usd > 0
    seal(lab.store, ["new"])
    trials = open_store(lab.store).trials(run="new")
    assert trials["cost_usd"].gt(0).all()
    assert trials["all_attempts_cost_usd"].eq(0).all()
