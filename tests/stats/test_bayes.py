"""Posteriors: closed forms against simulation, symmetry, determinism."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    PairedPosterior,
    beta_binomial_interval,
    paired_bayes,
    probability_better,
    wilson_cluster_interval,
)
from agenteval.stats.paired_posterior import _both_pass

arm = st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(a=arm, b=arm, prior=st.sampled_from([(1, 1), (2, 3), (0.5, 0.5)]))
def test_one_of_the_two_is_better(a, b, prior):
    forward, back = (
        probability_better(*a, *b, prior=prior),
        probability_better(*b, *a, prior=prior),
    )
    assert 0 <= forward <= 1
    assert forward + back == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 0.5)])
def test_probability_is_what_draws_say(prior):
    rng = np.random.default_rng(0)
    a = rng.beta(3 + prior[0], 7 + prior[1], 400_000)
    b = rng.beta(6 + prior[0], 4 + prior[1], 400_000)
    expected = float(np.mean(b > a))
    assert probability_better(3, 10, 6, 10, prior=prior) == pytest.approx(expected, abs=0.003)


def test_large_counts_stay_finite():
    assert probability_better(40_000, 100_000, 40_100, 100_000) == pytest.approx(0.676, abs=0.005)
    assert probability_better(0, 0, 0, 0) == pytest.approx(0.5)


def test_more_tasks_narrow_the_posterior():
    k = [3, 0, 1, 3, 2, 3, 0, 1]
    few, many = beta_binomial_interval(k, 3), beta_binomial_interval(k * 8, 3)
    assert many.width < few.width / 2
    assert many.width == pytest.approx(wilson_cluster_interval(k * 8, 3).width, rel=0.2)


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.95])
def test_bivariate_normal_is_scipys(rho):
    for p_a, p_b in [(0.5, 0.5), (0.1, 0.7), (0.95, 0.9)]:
        point = scipy_stats.norm.ppf([p_a, p_b])
        theirs = scipy_stats.multivariate_normal.cdf(point, cov=[[1, rho], [rho, 1]])
        ours = _both_pass(np.array([p_a]), np.array([p_b]), np.array([rho]))
        assert ours[0] == pytest.approx(theirs, abs=2e-5)


BINARY_A = np.array([1, 0, 0, 1, 0, 1, 0, 0, 1, 0] * 3)
BINARY_B = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0] * 3)
RNG = np.random.default_rng(5)
RATES_A = RNG.binomial(4, 0.5, 40) / 4
RATES_B = RNG.binomial(4, 0.6, 40) / 4


@pytest.mark.parametrize("arms", [(BINARY_A, BINARY_B), (RATES_A, RATES_B)], ids=["once", "rates"])
def test_paired_posterior_turns_with_the_arms(arms):
    r, swapped = paired_bayes(*arms), paired_bayes(*arms[::-1])
    assert isinstance(r, PairedPosterior)
    assert r.probability_better == pytest.approx(1 - swapped.probability_better, abs=0.01)
    assert (r.low, r.high) == pytest.approx((-swapped.high, -swapped.low), abs=0.01)
    assert r.low < r.estimate < r.high
    assert "P(B > A)" in str(r)


def test_the_same_outcomes_favour_nobody():
    same = paired_bayes(BINARY_A, BINARY_A)
    assert same.probability_better == pytest.approx(0.5, abs=1e-6)
    assert same.low < 0 < same.high
    flat = paired_bayes(RATES_A, RATES_A)
    assert flat.probability_better == 0.5
    assert flat.degenerate
    assert np.isnan(flat.low)


def test_pairing_helps_where_outcomes_go_together():
    shuffled = np.random.default_rng(0).permutation(BINARY_B)
    assert paired_bayes(BINARY_A, BINARY_B).width < paired_bayes(BINARY_A, shuffled).width


def test_bayesian_bootstrap_has_the_width_of_the_standard_error():
    r = paired_bayes(RATES_A, RATES_B, draws=40_000)
    error = np.std(RATES_B - RATES_A) / np.sqrt(41)
    assert r.width == pytest.approx(2 * 1.96 * error, rel=0.03)
    again = paired_bayes(RATES_A[::-1], RATES_B[::-1], draws=40_000)
    assert (r.low, r.high) == (again.low, again.high)
    assert paired_bayes(RATES_A, RATES_B, seed=1).low != paired_bayes(RATES_A, RATES_B).low


@pytest.mark.parametrize(
    "call",
    [
        lambda: probability_better(5, 4, 1, 2),
        lambda: probability_better(1, 2, 1, 2, prior=(0, 1)),
        lambda: paired_bayes([1, 0], [1]),
        lambda: paired_bayes([1, float("nan")], [1, 0]),
        lambda: paired_bayes([1, 0], [1, 0], level=2),
        lambda: paired_bayes([1, 0], [1, 0], draws=3),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


def test_one_task_is_not_enough():
    with pytest.raises(NotEnoughData):
        paired_bayes([1], [0])
