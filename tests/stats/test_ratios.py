"""Costs: ratios on the log scale, totals, cost per success, signed ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import cost_per_success, geometric_mean_ratio, total_ratio, wilcoxon_test

RNG = np.random.default_rng(3)
A = RNG.lognormal(0, 1, 30)
B = A * RNG.lognormal(0.1, 0.3, 30)
amounts = st.lists(
    st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=3, max_size=30
).map(lambda rows: np.array(rows).T)


@pytest.mark.parametrize("ratio", [geometric_mean_ratio, total_ratio])
@given(data=amounts)
def test_ratio_inside_its_interval_and_inverted_by_a_swap(ratio, data):
    r, swapped = ratio(*data), ratio(*data[::-1])
    assert r.estimate == pytest.approx(1 / swapped.estimate)
    if not r.degenerate:
        assert 0 <= r.low <= r.estimate <= r.high
        assert r.low == pytest.approx(1 / swapped.high, rel=1e-6)
        assert (r.pvalue < 0.05) == (not r.contains(1)) or abs(r.pvalue - 0.05) < 1e-9


@pytest.mark.parametrize("ratio", [geometric_mean_ratio, total_ratio, cost_per_success])
def test_row_order_changes_no_bit_and_currency_no_ratio(ratio):
    order = np.random.default_rng(0).permutation(30)
    r, shuffled = ratio(A, B), ratio(A[order], B[order])
    assert (r.estimate, *r) == (shuffled.estimate, *shuffled)
    if ratio is not cost_per_success:
        dearer = ratio(A * 7, B * 7)
        assert (dearer.estimate, *dearer) == pytest.approx((r.estimate, *r))


def test_log_ratio_is_the_paired_t_test():
    ours = geometric_mean_ratio(A, B)
    theirs = scipy_stats.ttest_rel(np.log(B), np.log(A))
    assert ours.pvalue == pytest.approx(theirs.pvalue)
    interval = theirs.confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((np.exp(interval.low), np.exp(interval.high)))


def test_total_ratio_is_dominated_by_the_dear_task():
    a, b = np.array([1.0, 1, 1, 100]), np.array([2.0, 2, 2, 100])
    assert geometric_mean_ratio(a, b).estimate > 1.6
    assert total_ratio(a, b).estimate < 1.03


def test_the_same_ratio_everywhere_has_no_spread():
    for ratio in (geometric_mean_ratio, total_ratio):
        r = ratio(A, 2 * A)
        assert r.estimate == pytest.approx(2)
        assert np.isnan([r.low, r.high]).all()
        assert r.degenerate
        assert ratio(A, A).pvalue == 1


def test_cost_per_success_pays_for_failures():
    assert cost_per_success([1.0, 3.0], [1, 0]).estimate == 4
    assert cost_per_success([1.0, 3.0, 2.0], [1, 1, 1]).estimate == 2


def test_hodges_lehmann_inverts_the_test():
    d = np.round(RNG.normal(0.5, 1, 20), 3)
    r = wilcoxon_test(np.zeros(20), d)
    for limit in (r.low, r.high):
        beyond = 1e-6 if limit == r.low else -1e-6
        outside = wilcoxon_test(np.full(20, limit - beyond), d)
        inside = wilcoxon_test(np.full(20, limit + beyond), d)
        assert outside.pvalue < 0.05 <= inside.pvalue


def test_hodges_lehmann_turns_with_the_arms_and_knows_its_limits():
    r, swapped = wilcoxon_test(A, B), wilcoxon_test(B, A)
    assert (r.estimate, r.low, r.high) == pytest.approx(
        (-swapped.estimate, -swapped.high, -swapped.low)
    )
    assert r.pvalue == pytest.approx(swapped.pvalue)
    few = wilcoxon_test([0, 0, 0], [1.0, 2.0, 4.0])
    assert (few.low, few.high) == (-np.inf, np.inf)
    many = wilcoxon_test(np.zeros(80), np.arange(-20.0, 60.0) + 0.5)
    assert many.method == "wilcoxon_asymptotic"
    assert many.low < many.estimate < many.high


def test_ties_and_zeros_follow_scipy():
    d = np.array([0, 0, 1, 1, -1, 2, 3, -2, 4, 0.0])
    theirs = scipy_stats.wilcoxon(d, zero_method="wilcox", correction=False, method="asymptotic")
    ours = wilcoxon_test(np.zeros(10), d)
    assert ours.pvalue == pytest.approx(theirs.pvalue)
    assert ours.method == "wilcoxon_asymptotic"


@pytest.mark.parametrize(
    "call",
    [
        lambda: geometric_mean_ratio([1, 0], [1, 2]),
        lambda: geometric_mean_ratio([1, 2], [1, 2, 3]),
        lambda: total_ratio([1, -2], [1, 2]),
        lambda: total_ratio([1, float("nan")], [1, 2]),
        lambda: cost_per_success([1, 2], [1]),
        lambda: wilcoxon_test([1, 2], [1]),
        lambda: wilcoxon_test([1, 2], [1, 3], alternative="more"),
        lambda: geometric_mean_ratio([1, 2], [1, 2], level=1.5),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.parametrize(
    "call",
    [
        lambda: geometric_mean_ratio([1], [2]),
        lambda: total_ratio([0, 0], [1, 2]),
        lambda: cost_per_success([1, 2], [0, 0]),
        lambda: cost_per_success([0, 0], [1, 2]),
        lambda: wilcoxon_test([1, 2], [1, 2]),
    ],
)
def test_too_little_is_said_so(call):
    with pytest.raises(NotEnoughData):
        call()
