"""The plan: pure, balanced and the same whenever it is made."""

from collections import Counter
from dataclasses import replace

import pytest

from agenteval.agents import make_arm
from agenteval.engine import make_plan
from agenteval.errors import InvalidInput

ARMS = [make_arm(spec) for spec in ("scripted:noop", "scripted:reference", "scripted:chance:0.5")]


@pytest.fixture
def tasks(bench):
    return [bench.task(name) for name in ("a", "b", "c", "d")]


def order(plan) -> list[tuple[str, str, int]]:
    return [(spec.task.id, spec.arm_label, spec.repeat) for spec in plan.trials()]


def test_every_task_meets_every_arm_once_a_repeat_and_repeats_do_not_mix(tasks):
    plan = make_plan("r", "s", tasks, ARMS, repeats=3)
    seen = order(plan)
    assert len(seen) == plan.size == 36
    assert [repeat for *_, repeat in seen] == [1] * 12 + [2] * 12 + [3] * 12
    assert set(Counter(seen).values()) == {1}


def test_the_order_is_the_seeds(tasks):
    plan = make_plan("r", "s", tasks, ARMS, repeats=2, seed=7)
    assert order(plan) == order(plan) == order(make_plan("r", "s", tasks, ARMS, repeats=2, seed=7))
    assert order(plan) != order(make_plan("r", "s", tasks, ARMS, repeats=2, seed=8))


def test_no_arm_always_goes_first(tasks):
    plan = make_plan("r", "s", tasks, ARMS, repeats=30)
    first = Counter(label for number, (_, label, _) in enumerate(order(plan)) if number % 12 == 0)
    assert set(first) == {"scripted:noop", "scripted:reference", "scripted:chance:0.5"}
    assert max(first.values()) < 20


def test_ids_are_the_plans_and_differ(tasks):
    ids = [spec.trial_id for spec in make_plan("r", "s", tasks, ARMS, repeats=2).trials()]
    assert len(set(ids)) == 24
    assert sorted(ids) == sorted(
        spec.trial_id for spec in make_plan("r", "s", tasks, ARMS, repeats=2, seed=9).trials()
    )
    assert set(ids).isdisjoint(
        spec.trial_id for spec in make_plan("other", "s", tasks, ARMS).trials()
    )


@pytest.mark.parametrize("change", ["suite", "tasks", "task digest", "arms", "repeats", "seed"])
def test_the_digest_covers_what_a_resumed_run_must_share(tasks, change):
    plan = make_plan("r", "s", tasks, ARMS, repeats=2, seed=1)
    other = {
        "suite": {"suite": "t"},
        "tasks": {"tasks": plan.tasks[1:]},
        "task digest": {"tasks": (replace(plan.tasks[0], digest="0" * 16), *plan.tasks[1:])},
        "arms": {"arms": plan.arms[1:]},
        "repeats": {"repeats": 3},
        "seed": {"seed": 2},
    }[change]
    assert replace(plan, **other).digest != plan.digest
    assert replace(plan, run_id="elsewhere").digest == plan.digest


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"tasks": []}, "suite s"),
        ({"arms": []}, "--agent"),
        ({"repeats": 0}, "--repeat"),
        ({"arms": [ARMS[0], ARMS[0]]}, "--agent scripted:noop"),
    ],
)
def test_plans_that_mean_nothing_are_refused(tasks, change, where):
    parts = {"tasks": tasks, "arms": ARMS, "repeats": 1} | change
    with pytest.raises(InvalidInput) as caught:
        make_plan("r", "s", parts["tasks"], parts["arms"], repeats=parts["repeats"])
    assert caught.value.where == where
    assert caught.value.fix


def test_labels_say_what_differs(tasks):
    plan = make_plan(
        "r", "s", tasks, [make_arm("command:x", model=model) for model in ("p/small", "p/large")]
    )
    assert plan.labels == ["p/small", "p/large"]
