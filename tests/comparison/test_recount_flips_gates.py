"""Other ways to count, flips as a result, and gates of a comparison."""

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import RECOUNTS, compare, flips, recount, scoreboard, sensitivity
from agenteval.errors import InvalidInput
from agenteval.stats import gate_verdict, newcombe_cluster_difference

TWO = {
    "a": {"t1": "PPF", "t2": "FFT", "t3": "PFI", "t4": "PPP", "t5": "FFF", "t6": "TPF"},
    "b": {"t1": "PPP", "t2": "PPF", "t3": "PPS", "t4": "PTP", "t5": "FPF", "t6": "PPI"},
}
BY_SENSITIVITY = {
    "errors-left-out": "errors left out",
    "left-out-failed": "left out = failed",
    "left-out-against": "left out against",
    "left-out-in-favour": "left out in favour",
    "first-repeat": "first repeat",
    "all-repeats": "all repeats",
    "majority": "majority",
    "any-repeat": "any repeat",
}


@pytest.fixture(scope="module")
def table(trials_of):
    return trials_of(TWO)


@pytest.mark.parametrize("policy", BY_SENSITIVITY)
def test_a_recounted_comparison_is_that_row_of_the_sensitivity_table(table, policy):
    found = compare(recount(table, policy, candidate="b"), baseline="a", candidate="b").table.iloc[
        0
    ]
    want = sensitivity(table, baseline="a", candidate="b").table.set_index("policy")
    for column in ("tasks", "difference", "low", "high", "pvalue", "verdict"):
        assert found[column] == want.loc[BY_SENSITIVITY[policy], column]


def test_every_policy_is_there_and_none_changes_its_input(table):
    before = table.copy(deep=True)
    for policy in RECOUNTS:
        recounted = recount(table, policy, candidate="b")
        assert set(recounted.columns) == set(table.columns)
        scoreboard(recounted)
    pd.testing.assert_frame_equal(table, before)
    assert set(RECOUNTS) == {"default", *BY_SENSITIVITY}


def test_one_verdict_a_task_keeps_what_was_left_out(table):
    board = scoreboard(recount(table, "all-repeats")).table.set_index("arm")
    assert board.loc["a", ["trials", "left_out"]].tolist() == [6, 1]
    assert board.loc["a", "rate"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("policy", "options"),
    [("nonsense", {}), ("left-out-against", {}), ("majority", {"by": "nothing"})],
)
def test_what_cannot_be_counted_is_refused(table, policy, options):
    with pytest.raises(InvalidInput):
        recount(table, policy, **options)


def test_first_repeat_needs_the_repeat(table):
    with pytest.raises(InvalidInput, match="repeat"):
        recount(table.drop(columns="repeat"), "first-repeat")


def test_flips_are_those_of_the_comparison(table):
    h = compare(table, baseline="a", candidate="b")
    for found in (flips(table, baseline="a", candidate="b"), flips(h)):
        pd.testing.assert_frame_equal(found.table, h.flips)
        assert str(found).startswith("Flips: 1 lost, 5 gained, 0 tasks the same")
        assert "t4" in found._repr_html_()


def test_gates_are_judged_on_the_90_percent_interval(table):
    h = compare(table, baseline="a", candidate="b", margin=0.1)
    [gate] = h.gates()
    [pair] = h.pairs
    want = gate_verdict(
        newcombe_cluster_difference(
            pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b, level=0.9
        ),
        margin=0.1,
    )
    assert (gate.verdict, gate.margin, gate.difference.low) == (
        want.verdict,
        0.1,
        want.difference.low,
    )


def test_a_regression_fails_a_gate_in_both_modes(trials_of):
    rows = {f"t{i:02d}": "PPP" for i in range(30)}
    worse = {name: "FPF" if i % 2 else "PPP" for i, name in enumerate(rows)}
    [gate] = compare(trials_of({"a": rows, "b": worse}), baseline="a").gates()
    assert gate.verdict == "regressed"
    assert (gate.exit_code(), gate.exit_code(mode="strict")) == (1, 1)
    [small] = compare(trials_of({"a": rows, "b": worse}), baseline="a").gates(min_effect=0.9)
    assert (small.exit_code(), small.exit_code(mode="strict")) == (0, 3)


@pytest.mark.slow
def test_a_gate_of_a_comparison_seldom_fails_an_unchanged_arm():
    """A/A: the same arm twice; one-sided 5 %, less three standard errors of 300 runs."""
    rng = np.random.default_rng(4)
    failed, runs = 0, 300
    for _ in range(runs):
        chance = rng.beta(0.5, 0.5, 30)
        rows = [
            (arm, f"t{t}", bool(rng.random() < chance[t]))
            for arm in "ab"
            for t in range(30)
            for _ in range(3)
        ]
        table = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
        table["status"] = np.where(table["passed"], "pass", "fail")
        failed += compare(table, baseline="a").gates()[0].failed
    assert failed / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
