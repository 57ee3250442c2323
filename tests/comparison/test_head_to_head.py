"""Head to head: pairing, the rule behind the verdict, multiplicity, ratios, flips."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from agenteval.comparison import compare, head_to_head
from agenteval.comparison.head_to_head import DTYPES
from agenteval.comparison.verdict import decide_verdict, sentence
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    adjust_p_values,
    fisher_test,
    geometric_mean_ratio,
    newcombe_cluster_difference,
    probability_better,
)

EIGHT = {f"t{i}": "FFF" for i in range(8)}
TWO = {
    "base": {"a": "PPF", "b": "FFF", "c": "PFF", "d": "PPP", "e": "FFF", "f": "P", "g": "II"},
    "v2": {"a": "PPP", "b": "PPF", "c": "PPF", "d": "PPP", "e": "FPF", "g": "PP", "h": "S"},
}


def only(result):
    assert len(result.table) == 1
    return result.table.iloc[0]


def test_compare_is_head_to_head():
    assert compare is head_to_head


def test_pairs_on_common_graded_tasks(trials_of):
    got = only(head_to_head(trials_of(TWO), baseline="base", candidate="v2"))
    assert (got["tasks"], got["trials_baseline"], got["trials_candidate"]) == (5, 15, 15)
    assert (got["tasks_dropped_baseline"], got["tasks_dropped_candidate"]) == (1, 1)
    assert (got["left_out_baseline"], got["left_out_candidate"]) == (2, 1)
    want = newcombe_cluster_difference([2, 0, 1, 3, 0], 3, [3, 2, 2, 3, 1], 3)
    assert got["difference"] == pytest.approx((3 + 2 + 2 + 3 + 1 - 6) / 15) == want.estimate
    assert (got["low"], got["high"], got["pvalue"]) == (want.low, want.high, want.pvalue)
    assert got["pvalue_adjusted"] == got["pvalue"]
    assert (got["method"], got["level"], got["margin"]) == ("newcombe_cluster", 0.95, 0.05)


def test_schema_and_input_left_alone(trials_of):
    table = trials_of(TWO)
    before = table.copy(deep=True)
    got = head_to_head(table, baseline="base")
    assert_frame_equal(table, before)
    assert list(got.table) == ["baseline", "candidate", *DTYPES]
    assert {name: str(got.table[name].dtype) for name in DTYPES} == DTYPES


def test_notes_name_the_tasks_not_compared(trials_of):
    notes = " ".join(head_to_head(trials_of(TWO), baseline="base", candidate="v2").notes)
    assert "1 task (f) graded for base only" in notes
    assert "1 task (g) graded for v2 only" in notes


def test_a_changed_task_is_not_the_same_task(trials_of):
    table = trials_of({"a": {"x": "PP", "y": "P"}, "b": {"x": "FF", "y": "P"}})
    table["task_digest"] = [*"oow", *"nnw"]
    got = head_to_head(table, baseline="a", candidate="b")
    assert (only(got)["tasks"], only(got)["tasks_dropped_baseline"]) == (1, 1)
    assert "1 task (x) changed between the sides" in got.notes[0]
    shared = table.assign(task_digest=[*"onw", *"nnw"])
    assert only(head_to_head(shared, baseline="a", candidate="b"))["tasks"] == 2
    unknown = table.assign(task_digest=[None, None, "w", "n", "n", "w"])
    assert only(head_to_head(unknown, baseline="a", candidate="b"))["tasks"] == 1


def test_left_out_trials_do_not_make_a_task_changed(trials_of):
    table = trials_of({"a": {"x": "PI"}, "b": {"x": "FF"}})
    table["task_digest"] = ["n", "old", "n", "n"]
    assert only(head_to_head(table, baseline="a", candidate="b"))["tasks"] == 1


def test_no_common_task_is_not_enough_data(trials_of):
    with pytest.raises(NotEnoughData, match="no graded task in common") as caught:
        head_to_head(trials_of({"a": {"x": "P"}, "b": {"y": "P", "x": "I"}}), baseline="a")
    assert "a: x" in caught.value.where


def test_unknown_sides_are_named_with_what_there_is(trials_of):
    with pytest.raises(InvalidInput, match="'v9'") as caught:
        head_to_head(trials_of(TWO), baseline="v9")
    assert "base, v2" in caught.value.fix
    with pytest.raises(InvalidInput, match="'v9'"):
        head_to_head(trials_of(TWO), baseline="base", candidate="v9")
    with pytest.raises(InvalidInput, match="both 'base'"):
        head_to_head(trials_of(TWO), baseline="base", candidate="base")
    with pytest.raises(NotEnoughData, match="only 'a'"):
        head_to_head(trials_of({"a": {"x": "P"}}), baseline="a")
    with pytest.raises(InvalidInput, match="without a baseline"):
        head_to_head(trials_of(TWO), baseline=None, candidate="v2")


@pytest.mark.parametrize("margin", [0, -0.1, 5, float("nan"), "big", None])
def test_margin_is_a_share(trials_of, margin):
    with pytest.raises(InvalidInput, match="margin"):
        head_to_head(trials_of(TWO), baseline="base", margin=margin)


@pytest.mark.parametrize(
    ("tasks", "low", "high", "p", "verdict"),
    [
        (40, 0.01, 0.2, 0.01, "better"),
        (40, -0.2, -0.01, 0.01, "worse"),
        (40, 0.01, 0.2, 0.06, "no difference shown"),
        (40, -0.01, 0.2, 0.01, "no difference shown"),
        (40, -0.06, 0.06, 0.9, "cannot tell"),
        (40, -0.04, 0.06, 0.9, "no difference shown"),
        (4, 0.3, 0.9, 0.01, "cannot tell"),
        (5, 0.3, 0.9, 0.04, "better"),
    ],
)
def test_the_rule_behind_the_verdict(tasks, low, high, p, verdict):
    got = decide_verdict(tasks=tasks, low=low, high=high, pvalue=p, alpha=0.05, margin=0.05)
    assert got == verdict


def test_sentences_can_be_read_by_a_tired_person(trials_of):
    better = trials_of({"base": EIGHT, "v2": dict.fromkeys(EIGHT, "PPP")})
    assert head_to_head(better, baseline="base").verdict == (
        "v2 passes 100.0 points more than base (95 % interval 54.1 to 100.0, 8 tasks x 3): better."
    )
    assert head_to_head(better, baseline="v2").verdict.endswith(": worse.")
    few = trials_of({"base": {"a": "FF", "b": "FF"}, "v2": {"a": "PP", "b": "PP"}})
    assert "2 tasks are too few" in head_to_head(few, baseline="base").verdict
    same = trials_of(
        {"base": {f"t{i}": "PF" for i in range(8)}, "v2": {f"t{i}": "FP" for i in range(8)}}
    )
    got = head_to_head(same, baseline="base")
    assert got.verdict.startswith(
        "v2 passes as often as base, but with 8 tasks x 2 the 95 % interval"
    )
    assert "cannot tell" in got.verdict


def test_a_sentence_says_when_interval_and_test_disagree():
    row = {
        "baseline": "a", "candidate": "b", "tasks": 9, "trials_baseline": 9, "trials_candidate": 9,
        "difference": 0.3, "low": 0.01, "high": 0.5, "level": 0.95, "pvalue_adjusted": 0.07,
        "verdict": "no difference shown", "margin": 0.05, "mde": 0.2, "tasks_needed": 80,
    }  # fmt: skip
    assert "sign-flip test gives p = .070 among 3 comparisons: no difference" in sentence(
        row, comparisons=3
    )


def test_holm_against_one_baseline_and_bh_for_all_pairs(trials_of):
    rng = np.random.default_rng(1)
    skill = {"a": 0.3, "b": 0.5, "c": 0.6, "d": 0.8}
    table = trials_of(
        {
            arm: {f"t{i}": "P" if rng.random() < p else "F" for i in range(40)}
            for arm, p in skill.items()
        }
    )
    one = head_to_head(table, baseline="a")
    assert one.table["candidate"].tolist() == ["b", "c", "d"]
    want = adjust_p_values(one.table["pvalue"], method="holm")
    assert one.table["pvalue_adjusted"].tolist() == pytest.approx(want.tolist())
    pairs = head_to_head(table, baseline=None)
    assert len(pairs.table) == 6
    want = adjust_p_values(pairs.table["pvalue"], method="bh")
    assert pairs.table["pvalue_adjusted"].tolist() == pytest.approx(want.tolist())
    plain = head_to_head(table, baseline="a", adjust="none").table
    assert plain["pvalue_adjusted"].equals(plain["pvalue"].rename("pvalue_adjusted"))


def test_what_it_would_take(trials_of):
    rng = np.random.default_rng(2)
    letters = {
        arm: {f"t{i}": "".join(rng.choice(["P", "F"], 2)) for i in range(30)} for arm in "ab"
    }
    got = only(head_to_head(trials_of(letters), baseline="a", margin=0.1))
    assert got["tasks_needed"] == math.ceil(30 * (got["mde"] / 0.1) ** 2 - 1e-9)
    rate = {
        arm: np.array([w.count("P") / 2 for w in tasks.values()]) for arm, tasks in letters.items()
    }
    spread = np.var(rate["b"] - rate["a"], ddof=1)
    assert got["mde"] == pytest.approx((1.959964 + 0.841621) * math.sqrt(spread / 30), rel=1e-5)


def test_without_spread_there_is_no_detectable_effect(trials_of):
    got = only(head_to_head(trials_of({"a": EIGHT, "b": EIGHT}), baseline="a"))
    assert math.isnan(got["mde"])
    assert got["tasks_needed"] is pd.NA


def test_cost_and_time_ratios(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "P"}, "b": {"x": "PF", "y": "P"}})
    table["cost_usd"] = [1.0, 4.0, 3.0, 2.0, 2.0, 6.0]
    table["duration_s"] = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    got = only(head_to_head(table, baseline="a"))
    want = geometric_mean_ratio([2.0, 3.0], [2.0, 6.0])
    assert got["cost_ratio"] == pytest.approx(2**0.5) == pytest.approx(want.estimate)
    assert (got["cost_ratio_low"], got["cost_ratio_high"]) == pytest.approx((want.low, want.high))
    assert (got["time_ratio"], got["time_column"], got["time_tasks"]) == (2.0, "duration_s", 2)
    agent = only(head_to_head(table.assign(agent_s=3.0), baseline="a"))
    assert (agent["time_ratio"], agent["time_column"]) == (1.0, "agent_s")


@pytest.mark.parametrize("value", [None, 0.0])
def test_unknown_or_zero_cost_makes_no_ratio(trials_of, value):
    table = trials_of({"a": {"x": "PF"}, "b": {"x": "PF"}})
    cost = pd.Series([1.0, value, 1.0, 1.0], dtype="float64")
    got = only(head_to_head(table.assign(cost_usd=cost), baseline="a"))
    if value is None:
        assert (got["cost_ratio"], got["cost_tasks"]) == (1.0, 1)
    else:
        assert math.isnan(got["cost_ratio"])
        assert got["cost_tasks"] == 0


def test_cost_again_without_warm_caches(trials_of):
    table = trials_of({"a": {"x": "P", "y": "P"}, "b": {"x": "P", "y": "P"}})
    table = table.assign(cost_usd=[1.0, 1.0, 0.8, 0.8], model="m")
    table["first_cache_read_tokens"] = [0, 0, 100, 100]
    plain = head_to_head(table, baseline="a")
    assert math.isnan(only(plain)["cache_neutral_ratio"])
    got = head_to_head(table, baseline="a", cache_premium_usd={"m": 0.001})
    assert only(got)["cost_ratio"] == pytest.approx(0.8)
    assert only(got)["cache_neutral_ratio"] == pytest.approx(0.9)
    assert "x0.8, cache-neutral x0.9" in str(got)
    other = head_to_head(table, baseline="a", cache_premium_usd={"n": 0.001})
    assert math.isnan(only(other)["cache_neutral_ratio"])
    answered = head_to_head(
        table.assign(model_used="n"), baseline="a", cache_premium_usd={"n": 0.002}
    )
    assert only(answered)["cache_neutral_ratio"] == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "repeats"), [(8, 3), (30, 1), (60, 3)])
def test_a_verdict_is_rarely_given_when_nothing_differs(tasks, repeats):
    rng = np.random.default_rng([tasks, repeats])
    claims, runs = 0, 800
    for _ in range(runs):
        difficulty = rng.beta(0.8, 0.8, tasks)
        a, b = rng.binomial(repeats, difficulty), rng.binomial(repeats, difficulty)
        found = newcombe_cluster_difference(a, repeats, b, repeats)
        verdict = decide_verdict(
            tasks=tasks,
            low=found.low,
            high=found.high,
            pvalue=found.pvalue,
            alpha=0.05,
            margin=0.05,
        )
        claims += verdict in ("better", "worse")
    assert claims / runs <= 0.065


def test_sides_may_be_runs(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "P"}})
    both = pd.concat([table, table.assign(run_id="r2", passed=False, status="fail")])
    got = only(head_to_head(both, baseline="r1", candidate="r2", by="run_id"))
    assert got["difference"] == -0.75


def test_flips_show_a_trial_of_each_side(trials_of):
    result = head_to_head(trials_of(TWO), baseline="base", candidate="v2")
    flips = result.flips.set_index("task_id")
    assert flips["direction"].to_dict() == {
        "a": "gained", "b": "gained", "c": "gained", "d": "same", "e": "gained",
    }  # fmt: skip
    assert (flips.loc["b", "baseline_trial"], flips.loc["b", "candidate_trial"]) == (
        "base-b-1",
        "v2-b-1",
    )
    assert (flips.loc["e", "baseline_trial"], flips.loc["e", "candidate_trial"]) == (
        "base-e-1",
        "v2-e-2",
    )
    assert flips.loc["b", "probability"] == pytest.approx(probability_better(0, 3, 2, 3))
    want = [
        fisher_test([[c, 3 - c], [d, 3 - d]]).pvalue
        for c, d in zip([2, 0, 1, 3, 0], [3, 2, 2, 3, 1], strict=True)
    ]
    got = flips.loc[list("abcde")]
    assert got["pvalue"].tolist() == pytest.approx(want)
    assert got["pvalue_adjusted"].tolist() == pytest.approx(adjust_p_values(want).tolist())
    assert flips.loc["b", "evidence"].startswith("0/3 -> 2/3, up with probability 9")


def test_losses_come_first_and_have_the_right_trials(trials_of):
    table = trials_of(
        {"a": {"x": "PFP", "y": "FFF", "z": "PP"}, "b": {"x": "FPF", "y": "FPP", "z": "FF"}}
    )
    flips = head_to_head(table, baseline="a", candidate="b").flips
    assert flips[["task_id", "direction"]].to_numpy().tolist() == [
        ["z", "lost"],
        ["x", "lost"],
        ["y", "gained"],
    ]
    bad = flips.query("direction == 'lost'").iloc[1]
    assert (bad["baseline_trial"], bad["candidate_trial"]) == ("a-x-1", "b-x-1")
    assert bad["probability"] == pytest.approx(1 - probability_better(2, 3, 1, 3))


def test_flips_without_trial_ids_have_no_examples(trials_of):
    table = trials_of({"a": {"x": "P"}, "b": {"x": "F"}}).drop(columns=["trial_id", "suite"])
    flips = head_to_head(table, baseline="a").flips
    assert flips[["suite", "baseline_trial", "candidate_trial"]].isna().all(axis=None)


def test_flips_of_several_candidates(trials_of):
    table = trials_of({"a": {"x": "P"}, "b": {"x": "F"}, "c": {"x": "P"}})
    flips = head_to_head(table, baseline="a").flips
    assert flips[["candidate", "direction"]].to_numpy().tolist() == [["b", "lost"], ["c", "same"]]


def test_text_and_html(trials_of):
    result = head_to_head(trials_of(TWO), baseline="base", candidate="v2")
    assert result.verdict in str(result)
    assert "40.0 % -&gt; 73.3 %" in result._repr_html_()


CELLS = st.lists(
    st.tuples(st.text("PF", min_size=1, max_size=3), st.text("PF", min_size=1, max_size=3)),
    min_size=1,
    max_size=9,
)


@settings(max_examples=10, deadline=None)
@given(CELLS, st.randoms(use_true_random=False))
def test_swapping_sides_turns_the_sign_and_order_does_not_matter(trials_of, cells, random):
    table = trials_of(
        {arm: {f"t{i}": pair[k] for i, pair in enumerate(cells)} for k, arm in enumerate("ab")}
    )
    forth = only(head_to_head(table, baseline="a", candidate="b"))
    back = only(head_to_head(table, baseline="b", candidate="a"))
    assert back["difference"] == pytest.approx(-forth["difference"], abs=1e-12)
    assert (back["low"], back["high"]) == pytest.approx((-forth["high"], -forth["low"]), abs=1e-12)
    assert back["pvalue"] == pytest.approx(forth["pvalue"])
    swap = {"better": "worse", "worse": "better"}
    assert back["verdict"] == swap.get(forth["verdict"], forth["verdict"])
    order = list(range(len(table)))
    random.shuffle(order)
    plain = head_to_head(table, baseline="a", candidate="b")
    shuffled = head_to_head(table.iloc[order], baseline="a", candidate="b")
    assert_frame_equal(shuffled.table, plain.table)
    assert_frame_equal(shuffled.flips, plain.flips)


def test_an_unknown_adjustment_is_refused_by_its_own_name(trials_of):
    table = trials_of({"a": {"x": "P", "y": "F"}, "b": {"x": "P", "y": "P"}})
    with pytest.raises(InvalidInput, match="argument adjust"):
        head_to_head(table, baseline="a", adjust="tukey")
