"""The plan: pure, balanced and the same whenever it is made."""

from collections import Counter
from dataclasses import replace

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    JournalWriter,
    TrialResult,
    make_plan,
    manifest_of,
    remaining,
    unenforced_limits,
)
from agenteval.errors import InvalidInput
from agenteval.records import AttemptRow, StoreFolder, read_standings, trial_id, trial_ids

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


def test_an_id_is_the_hash_of_what_it_names(tasks):
    for spec in make_plan("r", "s", tasks, ARMS, repeats=12).trials():
        parts = (spec.run_id, spec.suite, spec.task.task.id, spec.arm.digest)
        assert spec.trial_id == trial_id(*parts, spec.repeat) == trial_ids(*parts)(spec.repeat)


def test_some_trials_are_those_of_all(tasks):
    plan = make_plan("r", "s", tasks, ARMS, repeats=3)
    every = plan.trials()
    assert plan.first_trials(15) == every[:15]
    assert plan.first_trials(99) == every
    settled = {spec.trial_id for spec in every[::2]}
    assert plan.trials_but(settled) == every[1::2]


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


class TestResume:
    """What is left of a plan, by what the journal holds."""

    def left(self, bench, plan, *outcomes: tuple[int, str, bool | None, str | None]):
        """Specs that remain after attempts (trial number, status, passed, class) were written."""
        specs = plan.trials()
        folder = StoreFolder(bench.folder / "store").run(plan.run_id)
        with JournalWriter(folder) as journal:
            held = journal.held.rows
            for number, status, passed, error_class in outcomes:
                spec = specs[number]
                tries = sum(row.trial_id == spec.trial_id for row in held)
                row = AttemptRow(
                    run_id=plan.run_id,
                    trial_id=spec.trial_id,
                    attempt=tries + 1,
                    suite="s",
                    task_id=spec.task.id,
                    task_digest=spec.task.digest,
                    arm=spec.arm_label,
                    arm_digest=spec.arm.digest,
                    agent=spec.arm.agent,
                    repeat=spec.repeat,
                    status=status,
                    passed=passed,
                    error_class=error_class,
                )
                held.append(row)
                journal.append(TrialResult(row))
        return remaining(plan, read_standings(folder.journal))

    def test_what_settles_a_trial_and_what_does_not(self, bench, tasks):
        plan = make_plan("r", "s", tasks, ARMS[:2])
        settled = [
            (0, "pass", True, None),
            (1, "fail", False, None),
            (2, "error", False, "timeout"),
            (3, "error", None, "setup_failed"),
        ]
        open_still = [
            (4, "skipped", None, "cancelled"),
            (5, "skipped", None, "requires_missing"),
            (6, "skipped", None, "task_skipped"),
        ]
        left = self.left(bench, plan, *settled, *open_still)
        trials = plan.trials()
        assert [spec.trial_id for spec in left] == [
            trials[number].trial_id for number in (4, 5, 6, 7)
        ]
        assert [spec.attempt for spec in left] == [2, 2, 2, 1]

    def test_cancelled_twice_is_tried_a_third_time_and_then_settled(self, bench, tasks):
        plan = make_plan("r", "s", tasks[:1], ARMS[:1])
        cancelled = (0, "skipped", None, "cancelled")
        (spec,) = self.left(bench, plan, cancelled, cancelled)
        assert spec.attempt == 3
        assert self.left(bench, plan, (0, "pass", True, None)) == []


def test_limits_that_nothing_enforces_are_named(bench):
    """So that nobody believes in them; which these are changes with the version."""
    plain = make_plan(
        "r",
        "s",
        [bench.task("a", keys="timeout_s = 5\nno_progress_s = 5\nmax_output_bytes = 5")],
        ARMS,
    )
    assert unenforced_limits(plain) == []
    limited = make_plan("r", "s", [bench.task("b", keys="max_turns = 3")], ARMS)
    assert unenforced_limits(limited) == ["max_turns"]
    manifest = manifest_of(limited, sandbox="plain", concurrency=1, command="x", suite_path=None)
    assert manifest.limits["not_enforced"] == ["max_turns"]
    assert (manifest.plan_digest, [arm.arm for arm in manifest.arms]) == (
        limited.digest,
        limited.labels,
    )
