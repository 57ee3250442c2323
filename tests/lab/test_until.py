"""Sequential runs with the real engine: rounds, stopping, resuming."""

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan
from agenteval.errors import InvalidInput
from agenteval.lab import Rule, rounds_of, run_until
from agenteval.sandbox import choose_sandbox
from agenteval.store import open_store
from agenteval.suite import load_suite


@pytest.fixture
def plan(evals):
    suite = load_suite(evals)
    arms = [make_arm("scripted:reference"), make_arm("scripted:noop")]
    return make_plan("seq", suite.name, suite.tasks, arms, seed=5)


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "store", choose_sandbox("plain"), concurrency=2)


BETTER = Rule(candidate="scripted:reference", baseline="scripted:noop")


def test_rounds_are_new_tasks_in_an_order_of_the_seed(plan):
    rounds = rounds_of(plan, round_tasks=5)
    assert [len(r.tasks) for r in rounds] == [5, 5, 2]
    assert [r.run_id for r in rounds] == ["seq.1", "seq.2", "seq.3"]
    names = [task.task.id for r in rounds for task in r.tasks]
    assert sorted(names) == [task.task.id for task in plan.tasks]
    assert names != sorted(names)
    again = [task.task.id for r in rounds_of(plan, round_tasks=3) for task in r.tasks]
    assert names == again
    with pytest.raises(InvalidInput):
        rounds_of(plan, round_tasks=0)


def test_it_stops_when_the_claim_is_settled_and_resumes_from_disk(plan, settings):
    looks = []
    found = run_until(plan, settings, BETTER, round_tasks=5, told=looks.append)
    assert found.stopped == "decided"
    assert found.decision.answer == "yes"
    assert len(looks) == len(found.run_ids) == 2
    assert found.decision.tasks == 10
    assert found.decision.saved_trials == 4
    assert len(open_store(settings.store).trials()) == 20
    again = run_until(plan, settings, BETTER, round_tasks=5)
    assert [len(result.attempts) for result in again.results] == [0, 0]
    assert again.decision.verdict == found.decision.verdict


def test_it_ends_undecided_when_the_tasks_are_used_up(plan, settings):
    claim = Rule(candidate="scripted:reference", baseline="scripted:noop", margin=0.99)
    found = run_until(plan, settings, claim, round_tasks=6)
    assert (found.stopped, found.decision.answer) == ("tasks used up", "undecided")
    assert len(open_store(settings.store).trials()) == 24


def test_a_rule_about_an_arm_that_is_not_there_runs_nothing(plan, settings):
    with pytest.raises(InvalidInput, match="'v2'"):
        run_until(plan, settings, Rule(candidate="v2", baseline="scripted:noop"))
    assert not settings.store.exists()
