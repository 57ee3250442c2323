"""The decision as a pure function of the trial table, and its error rates."""

import numpy as np
import pandas as pd
import pytest

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.lab import Rule, decide
from agenteval.stats import confidence_sequence

BETTER = "v2 better than base"


@pytest.fixture(scope="module")
def trials(draw):
    return draw(np.random.default_rng(1), 120, 0.3)


def test_the_looks_are_those_of_the_confidence_sequence(trials):
    order = [f"t{i:03d}" for i in range(120)]
    found = decide(trials, BETTER, order=order, round_tasks=15)
    rates = trials.groupby(["arm", "task_id"])["passed"].mean().unstack(0)
    sequence = confidence_sequence((rates["v2"] - rates["base"]).to_numpy(), bounds=(-1, 1))
    at = found.table["tasks"].to_numpy() - 1
    for column in ("low", "high"):
        assert found.table[column].to_numpy() == pytest.approx(getattr(sequence, column)[at])
    assert found.table["tasks"].tolist() == list(range(15, found.tasks + 1, 15))
    assert found.answer == "yes"
    assert found.table["answer"].tolist() == [""] * (len(found.table) - 1) + ["yes"]
    assert found.trials == found.tasks * 6


def test_rows_in_any_order_decide_the_same_and_stay_as_they_were(trials):
    shuffled = trials.sample(frac=1, random_state=3)
    before = shuffled.copy(deep=True)
    pd.testing.assert_frame_equal(decide(trials, BETTER).table, decide(shuffled, BETTER).table)
    pd.testing.assert_frame_equal(shuffled, before)


def test_what_came_after_the_deciding_look_changes_nothing(trials):
    order = [f"t{i:03d}" for i in range(120)]
    whole = decide(trials, BETTER, order=order)
    part = trials[trials["task_id"].isin(order[: whole.tasks])]
    pd.testing.assert_frame_equal(decide(part, BETTER, order=order).table, whole.table)


def test_swapping_the_arms_turns_the_answer(trials):
    turned = decide(trials, "base better than v2")
    assert turned.answer == "no"
    straight = decide(trials, BETTER)
    assert turned.table["low"].tolist() == pytest.approx((-straight.table["high"]).tolist())


def test_a_task_that_lacks_repeats_is_not_looked_at_nor_any_after_it(trials):
    order = [f"t{i:03d}" for i in range(120)]
    missing = trials["task_id"].eq("t004") & trials["arm"].eq("v2") & trials["repeat"].eq(3)
    found = decide(trials[~missing], BETTER, order=order, repeats=3)
    assert found.tasks == 4
    assert decide(trials[~missing], BETTER, order=order).tasks > 4


def test_a_task_without_a_counted_trial_is_left_out_and_counted(trials):
    lost = trials["task_id"].eq("t000") & trials["arm"].eq("base")
    broken = trials.astype({"passed": "boolean"})
    broken.loc[lost, ["passed", "status"]] = [pd.NA, "error"]
    broken["error_class"] = np.where(lost, "setup_failed", None)
    found = decide(broken, BETTER, order=[f"t{i:03d}" for i in range(120)], round_tasks=120)
    assert (found.left_out, found.tasks) == (1, 119)


def test_what_was_saved(trials):
    priced = trials.assign(cost_usd=0.5)
    found = decide(priced, BETTER, planned_tasks=120, repeats=3)
    assert found.saved_trials == (120 - found.tasks) * 6
    assert found.saved_usd == pytest.approx(found.saved_trials * 0.5)
    assert f"{found.saved_trials} trials, about $" in found.verdict


def test_undecided_when_nothing_differs(draw):
    found = decide(draw(np.random.default_rng(2), 30, 0.0), BETTER, planned_tasks=30)
    assert (found.answer, found.decided, found.saved_trials) == ("undecided", False, 0)
    assert "Undecided: after 30 of 30 tasks" in found.verdict


def test_no_finished_task_is_undecided(trials):
    one = trials[trials["repeat"] == 1]
    found = decide(one, BETTER, repeats=3)
    assert (found.answer, len(found.table)) == ("undecided", 0)
    assert "no task is finished" in found.verdict


def test_the_asymptotic_sequence_says_nothing_before_the_20th_task(trials):
    rule = Rule(candidate="v2", baseline="base", method="asymptotic")
    found = decide(trials, rule, round_tasks=5)
    early = found.table[found.table["tasks"] < 20]
    assert (early["low"] == -1).all()
    assert (early["high"] == 1).all()
    assert found.tasks >= 20


def test_text_html_and_picture(trials):
    found = decide(trials, BETTER)
    assert "look  tasks  trials" in str(found)
    assert "<script" not in found._repr_html_()
    for theme in ("light", "dark"):
        spec = found.plot(theme=theme).to_dict()
        assert "v2 better than base" in spec["title"]["text"]
    empty = decide(trials[trials["repeat"] == 1], BETTER, repeats=3)
    assert "no task is finished" in empty.plot().to_dict()["description"]


@pytest.mark.parametrize(
    ("rule", "options"),
    [("v3 better than base", {}), ("v2 better than old", {}), (BETTER, {"round_tasks": 0}),
     (BETTER, {"order": ["t000"]}), ("v2 is nice", {})],
)  # fmt: skip
def test_what_cannot_be_is_refused(trials, rule, options):
    with pytest.raises(InvalidInput):
        decide(trials, rule, **options)
    with pytest.raises(NotEnoughData):
        decide(trials.iloc[:0], BETTER)


@pytest.mark.slow
def test_error_rates_of_stopping_when_it_looks_good(draw):
    """Under no difference at most alpha decide either way; a fixed interval peeked at far more do."""
    rng = np.random.default_rng(7)
    sets, wrong, fixed = 250, 0, 0
    for _ in range(sets):
        trials = draw(rng, 80, 0.0)
        wrong += decide(trials, "v2 different from base", round_tasks=5).decided
        rates = trials.groupby(["arm", "task_id"])["passed"].mean().unstack(0)
        d = (rates["v2"] - rates["base"]).to_numpy()
        n = np.arange(5, 81, 5)
        fixed += any(abs(d[:k].sum()) > 1.96 * d[:k].std(ddof=1) * np.sqrt(k) for k in n)
    assert wrong / sets < 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)
    assert fixed / sets > 0.15


@pytest.mark.slow
def test_a_real_difference_is_found_early_and_in_the_right_direction(draw):
    rng = np.random.default_rng(8)
    found = [decide(draw(rng, 150, 0.25), BETTER, planned_tasks=150, repeats=3) for _ in range(40)]
    answers = [f.answer for f in found]
    assert answers.count("yes") >= 36
    assert answers.count("no") == 0
    assert np.mean([f.saved_trials for f in found]) > 150
