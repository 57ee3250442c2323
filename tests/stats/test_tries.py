"""pass@k, pass^k, flakiness, pass policies, missing trials."""

import json
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import flakiness, missing_band, pass_at_k, pass_hat_k, policy_values

TAU_BENCH = Path(__file__).parents[3] / "shared" / "data" / "tau_bench" / "gpt-4o-airline.json"
draws = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(draws)
def test_against_exact_fractions(draw):
    n, c, k = draw
    assert pass_at_k(n, c, k) == pytest.approx(float(1 - Fraction(comb(n - c, k), comb(n, k))))
    assert pass_hat_k(n, c, k) == pytest.approx(float(Fraction(comb(c, k), comb(n, k))))


def test_against_all_choices_of_repeats():
    repeats = [1, 0, 0, 1, 1]
    chosen = [sum(x) for x in combinations(repeats, 3)]
    assert pass_at_k(5, 3, 3) == pytest.approx(np.mean([s > 0 for s in chosen]))
    assert pass_hat_k(5, 3, 3) == pytest.approx(np.mean([s == 3 for s in chosen]))


@given(draws)
def test_any_pass_is_no_less_likely_than_all_pass(draw):
    n, c, k = draw
    assert 0 <= pass_hat_k(n, c, k) <= c / n + 1e-12
    assert c / n - 1e-12 <= pass_at_k(n, c, k) <= 1


def test_too_few_repeats_are_nan_and_never_clipped():
    values = pass_at_k([2, 3, 5], [1, 1, 1], 3)
    assert np.isnan(values).tolist() == [True, False, False]
    assert np.isnan(pass_hat_k(2, 2, 3))


def test_many_repeats_stay_exact():
    expected = float(1 - Fraction(comb(99_900, 500), comb(100_000, 500)))
    assert pass_at_k(100_000, 100, 500) == pytest.approx(expected, rel=1e-9)


def test_repeats_may_differ_by_task():
    n, c = np.array([3, 5, 3, 8]), np.array([1, 4, 3, 0])
    rows = [pass_at_k(int(a), int(b), 2) for a, b in zip(n, c, strict=True)]
    assert pass_at_k(n, c, 2).tolist() == rows


@pytest.mark.parametrize(
    "arguments",
    [
        (3, 4, 1),
        (3, -1, 1),
        (3, 1, 0),
        (3, 1, 1.5),
        (3, 0.5, 1),
        (float("nan"), 1, 1),
        ([3, 3], [1, 2, 3], 1),
    ],
)
def test_what_cannot_be_is_refused(arguments):
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(InvalidInput) as caught:
            function(*arguments)
        assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.skipif(not TAU_BENCH.exists(), reason="tau-bench trajectories are not on this machine")
def test_reproduces_the_published_table_of_tau_bench():
    trials = json.loads(TAU_BENCH.read_text(encoding="utf-8"))
    _, task = np.unique([t["task_id"] for t in trials], return_inverse=True)
    passed = np.bincount(task, weights=[t["reward"] == 1 for t in trials])
    n = np.bincount(task)
    rates = [round(float(np.mean(pass_hat_k(n, passed, k))), 3) for k in (1, 2, 3, 4)]
    assert rates == [0.420, 0.273, 0.220, 0.200]


def test_flakiness_counts_only_repeated_tasks():
    r = flakiness([1, 4, 4, 4], [1, 0, 4, 2])
    assert (r.n_tasks, r.n_repeated, r.repeats) == (4, 3, (1, 4))
    assert r.flaky_share == pytest.approx(1 / 3)
    assert r.disagreement == pytest.approx(2 * r.within_variance)
    assert (r.all_pass, r.any_pass, r.majority) == (0.5, 0.75, 0.5)
    assert "flaky" in str(r)


def test_consistency_is_pass_hat_over_pass():
    r = flakiness(4, [0, 1, 4, 2])
    assert r.consistency(1) == 1
    assert r.consistency(2) == pytest.approx(np.mean(pass_hat_k(4, [0, 1, 4, 2], 2)) / (7 / 16))
    assert np.isnan(r.consistency(5))
    assert np.isnan(flakiness(4, [0, 0]).consistency(2))


def test_flakiness_needs_repeats():
    with pytest.raises(NotEnoughData):
        flakiness(1, [1, 0])


def test_policies():
    nan = float("nan")
    table = [[1, 0, 1], [0, 1, nan], [nan, nan, nan], [nan, 0, 1], [1, 1, 1]]
    wanted = {
        "all": [0, 0, nan, 0, 1],
        "any": [1, 1, nan, 1, 1],
        "majority": [1, 0, nan, 0, 1],
        "first": [1, 0, nan, 0, 1],
    }
    for policy, values in wanted.items():
        np.testing.assert_array_equal(policy_values(table, policy=policy), values)
    for bad in ([1, 0], [[1, 2]], [["pass"]]):
        with pytest.raises(InvalidInput):
            policy_values(bad)
    with pytest.raises(InvalidInput):
        policy_values(table, policy="most")


def test_missing_trials_bound_the_rate():
    band = missing_band([3, 1, 0], [3, 2, 0], [0, 1, 3])
    assert band.low == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert band.high == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert band.share_missing == pytest.approx(4 / 9)
    complete = missing_band([3, 1], [3, 3], [0, 0])
    assert complete.low == complete.high
    with pytest.raises(InvalidInput):
        missing_band([3, 1], [3, 3], [0, -1])
    with pytest.raises(InvalidInput):
        missing_band([3, 1], [3, 3], [0])
    with pytest.raises(NotEnoughData):
        missing_band([0], [0], [0])
