"""Independent arms, one task at a time, whole families, common odds ratio."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    adjust_p_values,
    boschloo_test,
    cochran_mantel_haenszel_test,
    fisher_test,
    miettinen_nurminen_difference,
    newcombe_difference,
)

arm = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
INDEPENDENT = [newcombe_difference, miettinen_nurminen_difference]


@pytest.mark.parametrize("difference", INDEPENDENT)
@given(a=arm, b=arm)
def test_independent_difference_inside_and_symmetric(difference, a, b):
    r, swapped = difference(*a, *b), difference(*b, *a)
    assert -1 <= r.low <= r.estimate + 1e-12
    assert r.estimate - 1e-12 <= r.high <= 1
    assert (r.low, r.high, r.pvalue) == pytest.approx(
        (-swapped.high, -swapped.low, swapped.pvalue), abs=1e-7
    )


@given(a=arm, b=arm)
def test_score_interval_agrees_with_its_own_p_value(a, b):
    r = miettinen_nurminen_difference(*a, *b)
    if abs(r.pvalue - 0.05) > 1e-6:
        assert (r.pvalue < 0.05) == (not r.contains(0))


@pytest.mark.parametrize("counts", [(48, 80, 56, 70), (3, 10, 9, 10), (1, 29, 5, 56)])
def test_score_at_the_limits_is_z_by_brute_force(counts):
    x_a, n_a, x_b, n_b = counts
    r = miettinen_nurminen_difference(*counts)
    for limit in r:
        rate_a = np.linspace(max(0, -limit), min(1, 1 - limit), 400_003)[1:-1]
        rate_b = rate_a + limit
        likelihood = binom.logpmf(x_a, n_a, rate_a) + binom.logpmf(x_b, n_b, rate_b)
        p_a, p_b = rate_a[likelihood.argmax()], rate_b[likelihood.argmax()]
        variance = (p_a * (1 - p_a) / n_a + p_b * (1 - p_b) / n_b) * (n_a + n_b) / (n_a + n_b - 1)
        assert abs(r.estimate - limit) / np.sqrt(variance) == pytest.approx(1.959964, abs=1e-4)


def test_fisher_cannot_be_significant_with_three_repeats():
    assert fisher_test([[3, 0], [0, 3]]).pvalue == pytest.approx(0.1)
    assert fisher_test([[5, 0], [0, 5]]).pvalue == pytest.approx(0.0079, abs=1e-4)


@given(st.tuples(*[st.integers(0, 6)] * 4))
def test_exact_tests_are_in_range_and_boschloo_is_no_weaker_one_sided(cells):
    table = [cells[:2], cells[2:]]
    fisher, boschloo = (t(table, alternative="less") for t in (fisher_test, boschloo_test))
    assert 0 <= boschloo.pvalue <= 1
    assert boschloo.pvalue <= fisher.pvalue + 1e-6


def test_boschloo_of_a_task_that_always_passes():
    assert boschloo_test([[3, 0], [3, 0]]).pvalue == 1


def test_common_odds_ratio_is_that_of_statsmodels():
    rng = np.random.default_rng(0)
    n_a, n_b = rng.integers(2, 9, 12), rng.integers(2, 9, 12)
    x_a, x_b = rng.binomial(n_a, 0.4), rng.binomial(n_b, 0.6)
    tables = [[[b, m - b], [a, k - a]] for a, k, b, m in zip(x_a, n_a, x_b, n_b, strict=True)]
    theirs = StratifiedTable(tables)
    ours = cochran_mantel_haenszel_test(x_a, n_a, x_b, n_b)
    assert ours.estimate == pytest.approx(theirs.oddsratio_pooled)
    assert (ours.low, ours.high) == pytest.approx(theirs.oddsratio_pooled_confint())
    assert ours.pvalue == pytest.approx(theirs.test_null_odds(correction=False).pvalue)


def test_common_odds_ratio_of_empty_cells():
    only_b = cochran_mantel_haenszel_test([0, 0], 3, [3, 2], 3)
    assert only_b.estimate == np.inf
    assert np.isnan(only_b.low)
    with pytest.raises(NotEnoughData):
        cochran_mantel_haenszel_test([3, 0], 3, [3, 0], 3)


def test_cancelling_changes_are_a_change():
    a, b = [5, 5, 0, 0] * 5, [0, 0, 5, 5] * 5
    assert cochran_mantel_haenszel_test(a, 5, b, 5).pvalue == 1


p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)
THEIRS = {
    "bh": "fdr_bh",
    "by": "fdr_by",
    "bonferroni": "bonferroni",
    "hochberg": "simes-hochberg",
    "holm": "holm",
}


@pytest.mark.parametrize("method", THEIRS)
@settings(max_examples=10)  # a tenth of a second each for statsmodels' Holm
@given(p=p_values)
def test_adjustment_is_that_of_statsmodels(method, p):
    ours = adjust_p_values(p, method=method)
    assert ours == pytest.approx(multipletests(p, method=THEIRS[method])[1], abs=1e-12)
    assert (ours >= np.array(p) - 1e-12).all()


@pytest.mark.parametrize("method", THEIRS)
def test_missing_p_values_are_no_members_of_the_family(method):
    nan = float("nan")
    with_gap = adjust_p_values([0.01, nan, 0.04], method=method)
    assert np.isnan(with_gap[1])
    assert with_gap[[0, 2]].tolist() == adjust_p_values([0.01, 0.04], method=method).tolist()
    assert np.isnan(adjust_p_values([nan, nan], method=method)).all()
    assert adjust_p_values([], method=method).shape == (0,)


@pytest.mark.parametrize(
    "call",
    [
        lambda: newcombe_difference(5, 4, 1, 2),
        lambda: newcombe_difference(-1, 4, 1, 2),
        lambda: miettinen_nurminen_difference(1, 4, float("nan"), 2),
        lambda: miettinen_nurminen_difference([1], 4, 1, 2),
        lambda: newcombe_difference(1, 4, 1, 2, level=2),
        lambda: fisher_test([[1, 2, 3], [1, 2, 3]]),
        lambda: fisher_test([[1, -2], [1, 2]]),
        lambda: boschloo_test([[1.5, 2], [1, 2]]),
        lambda: fisher_test([[1, 2], [1, 2]], alternative="one-sided"),
        lambda: cochran_mantel_haenszel_test([1], 3, [1, 2], 3),
        lambda: adjust_p_values([0.5, 1.5]),
        lambda: adjust_p_values([0.5], method="sidak"),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


def test_an_arm_without_trials_is_not_enough():
    with pytest.raises(NotEnoughData):
        newcombe_difference(0, 0, 1, 2)
