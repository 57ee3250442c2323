"""Sensitivity: every policy by hand on a small table, and what it says in words."""

import math

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import head_to_head, sensitivity
from agenteval.comparison.policies import COUNTING, ESTIMATING
from agenteval.stats import paired_t_difference

TWO = {
    "a": {"t1": "PPF", "t2": "FTF", "t3": "PFI", "t4": "PPP", "t5": "FFF", "t6": "PFF"},
    "b": {"t1": "PPP", "t2": "PPF", "t3": "PPS", "t4": "PTP", "t5": "FPF", "t6": "PPI"},
}


@pytest.fixture(scope="module")
def rows(trials_of):
    return sensitivity(trials_of(TWO), baseline="a").table.set_index("policy")


def test_every_policy_has_a_row(rows):
    assert list(rows.index) == ["default", *COUNTING, *ESTIMATING]


def test_the_default_is_the_head_to_head(rows, trials_of):
    want = head_to_head(trials_of(TWO), baseline="a").table.iloc[0]
    for name in ("tasks", "difference", "low", "high", "pvalue", "verdict"):
        assert rows.loc["default", name] == want[name]


@pytest.mark.parametrize(
    ("policy", "a", "b"),
    [
        ("errors left out", [2/3, 0, 1/2, 1, 0, 1/3], [1, 2/3, 1, 1, 1/3, 1]),
        ("left out = failed", [2/3, 0, 1/3, 1, 0, 1/3], [1, 2/3, 2/3, 2/3, 1/3, 2/3]),
        ("left out against", [2/3, 0, 2/3, 1, 0, 1/3], [1, 2/3, 2/3, 2/3, 1/3, 2/3]),
        ("left out in favour", [2/3, 0, 1/3, 1, 0, 1/3], [1, 2/3, 1, 2/3, 1/3, 1]),
        ("first repeat", [1, 0, 1, 1, 0, 1], [1, 1, 1, 1, 0, 1]),
        ("all repeats", [0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 1]),
        ("majority", [1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1]),
        ("any repeat", [1, 0, 1, 1, 0, 1], [1, 1, 1, 1, 1, 1]),
        ("these tasks only", [2/3, 0, 1/2, 1, 0, 1/3], [1, 2/3, 1, 2/3, 1/3, 1]),
        ("unpaired", [2/3, 0, 1/2, 1, 0, 1/3], [1, 2/3, 1, 2/3, 1/3, 1]),
        ("one task dropped", [2/3, 1/2, 1, 0, 1/3], [1, 1, 2/3, 1/3, 1]),
    ],
)  # fmt: skip
def test_difference_of_each_policy(rows, policy, a, b):
    assert rows.loc[policy, "difference"] == pytest.approx(np.mean(b) - np.mean(a))
    assert rows.loc[policy, "tasks"] == len(a)
    assert rows.loc[policy, "low"] <= rows.loc[policy, "difference"] <= rows.loc[policy, "high"]


def test_pooled_trials_is_the_ratio_with_its_linearised_error(rows):
    a, b = (
        (np.array([2, 0, 1, 3, 0, 1]), np.array([3, 3, 2, 3, 3, 3])),
        (np.array([3, 2, 2, 2, 1, 2]), np.array([3, 3, 2, 3, 3, 2])),
    )
    got = rows.loc["pooled trials"]
    assert got["difference"] == pytest.approx(12 / 16 - 7 / 17)
    u = [6 * (c - n * c.sum() / n.sum()) / n.sum() for c, n in (a, b)]
    want = paired_t_difference(u[0] + 7 / 17, u[1] + 12 / 16)
    assert (got["low"], got["high"]) == pytest.approx((want.low, want.high))


def test_methods_without_a_test_have_no_p_value(rows):
    assert rows["pvalue"].isna()[["these tasks only", "unpaired"]].all()
    assert rows["pvalue"].drop(["these tasks only", "unpaired"]).notna().all()


def test_only_run_to_run_noise_is_narrower_than_unpaired(rows):
    width = rows["high"] - rows["low"]
    assert width["these tasks only"] < width["unpaired"]


def test_score_has_a_row_when_it_is_known(trials_of):
    table = trials_of({"a": {"x": "PF", "y": "F"}, "b": {"x": "PP", "y": "F"}})
    table["score"] = [1.0, 0.5, 0.25, 1.0, 1.0, 0.75]
    got = sensitivity(table, baseline="a").table.set_index("policy").loc["score"]
    want = paired_t_difference([0.75, 0.25], [1.0, 0.75])
    assert (got["difference"], got["low"]) == pytest.approx((want.estimate, want.low))


def test_the_verdict_says_what_changes(trials_of):
    same = {f"t{i}": "PPPP" for i in range(10)}
    lost = {f"t{i}": "PIII" if i < 6 else "PPPP" for i in range(10)}
    result = sensitivity(trials_of({"a": same, "b": lost}), baseline="a")
    assert result.verdict.startswith('b: "cannot tell" changes under')
    assert "left out = failed (worse)" in result.verdict
    rows = result.table.set_index("policy")
    assert not rows.loc["default", "changes"]
    assert rows.loc["left out against", "changes"]
    assert result.verdict in str(result)


def test_what_cannot_be_applied_is_said_not_shown(trials_of):
    table = trials_of(
        {"a": {f"t{i}": "P" for i in range(6)}, "b": {f"t{i}": "F" for i in range(6)}}
    )
    result = sensitivity(table.drop(columns="repeat"), baseline="a")
    assert "these tasks only" not in set(result.table["policy"])
    assert "first repeat" not in set(result.table["policy"])
    assert any('"these tasks only" cannot be applied' in note for note in result.notes)


def test_several_candidates_and_untouched_input(trials_of):
    table = trials_of({**TWO, "c": TWO["a"]})
    before = table.copy(deep=True)
    result = sensitivity(table, baseline="a")
    got = result.table
    pd.testing.assert_frame_equal(table, before)
    assert got["candidate"].drop_duplicates().tolist() == ["b", "c"]
    assert got.groupby("candidate").size().to_dict() == {"b": 15, "c": 14}
    assert 'The policy "pooled trials" cannot be applied to the data of c.' in result.notes
    same = got[(got["candidate"] == "c") & (got["policy"] == "bootstrap")].iloc[0]
    assert same["low"] == pytest.approx(-same["high"])
    none = got[(got["candidate"] == "c") & (got["policy"] == "default")].iloc[0]
    assert (none["difference"], none["verdict"]) == (0.0, "cannot tell")


def test_from_a_head_to_head_with_its_options(trials_of):
    result = head_to_head(trials_of(TWO), baseline="a", candidate="b", level=0.9, margin=0.2)
    assert set(result.sensitivity.table["level"]) == {0.9}
    assert set(result.sensitivity.table["margin"]) == {0.2}
    assert not math.isnan(result.sensitivity.table["low"].iloc[0])
