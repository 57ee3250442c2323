"""Differences over the same tasks: rates, scores, 2 x 2 tables, sign flips."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    bonett_price_interval,
    mcnemar_test,
    newcombe_cluster_difference,
    newcombe_paired_interval,
    paired_t_difference,
    sign_flip_test,
    tango_interval,
)

pair_of_counts = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)
paired_counts = st.lists(pair_of_counts, min_size=2, max_size=25).map(lambda rows: np.array(rows).T)
cells = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda t: sum(t) > 0)
TABLES = [tango_interval, newcombe_paired_interval, bonett_price_interval]


@given(data=paired_counts, level=st.sampled_from([0.8, 0.9, 0.95]))
def test_difference_lies_inside_its_interval(data, level):
    r = newcombe_cluster_difference(*data, level=level)
    assert -1 <= r.low <= r.estimate <= r.high <= 1
    assert r.width > 0
    assert 0 <= r.pvalue <= 1
    assert r.estimate == pytest.approx(r.arm_b.estimate - r.arm_a.estimate)
    assert -1 <= r.correlation <= 1


@given(data=paired_counts)
def test_swapping_the_arms_turns_the_sign(data):
    k_a, n_a, k_b, n_b = data
    r, swapped = (
        newcombe_cluster_difference(k_a, n_a, k_b, n_b),
        newcombe_cluster_difference(k_b, n_b, k_a, n_a),
    )
    assert (r.estimate, r.low, r.high) == pytest.approx(
        (-swapped.estimate, -swapped.high, -swapped.low), abs=1e-9
    )
    assert r.pvalue == pytest.approx(swapped.pvalue)


@given(data=paired_counts)
def test_swapping_pass_and_fail_turns_the_sign(data):
    k_a, n_a, k_b, n_b = data
    r = newcombe_cluster_difference(k_a, n_a, k_b, n_b)
    failed = newcombe_cluster_difference(n_a - k_a, n_a, n_b - k_b, n_b)
    assert (r.low, r.high) == pytest.approx((-failed.high, -failed.low), abs=1e-6)


@given(data=paired_counts, seed=st.integers(0, 99))
def test_row_order_changes_no_bit(data, seed):
    order = np.random.default_rng(seed).permutation(data.shape[1])
    r, shuffled = newcombe_cluster_difference(*data), newcombe_cluster_difference(*data[:, order])
    assert (r.estimate, *r, r.pvalue) == (shuffled.estimate, *shuffled, shuffled.pvalue)


@given(data=paired_counts)
def test_a_higher_level_is_no_narrower(data):
    narrow = newcombe_cluster_difference(*data, level=0.8)
    wide = newcombe_cluster_difference(*data, level=0.95)
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@given(table=cells)
def test_without_repeats_it_is_newcombes_method_10(table):
    a, b, c, d = table
    arm_b = np.repeat([1, 1, 0, 0], [a, b, c, d])
    arm_a = np.repeat([1, 0, 1, 0], [a, b, c, d])
    r, paper = newcombe_cluster_difference(arm_a, 1, arm_b, 1), newcombe_paired_interval(*table)
    assert (r.estimate, r.low, r.high, r.pvalue) == pytest.approx(
        (paper.estimate, paper.low, paper.high, paper.pvalue), abs=1e-9
    )


def test_all_pass_on_both_sides_is_not_certain():
    r = newcombe_cluster_difference([3] * 6, 3, [3] * 6, 3)
    assert r.low < -0.3 < 0.3 < r.high
    assert (r.estimate, r.pvalue, r.degenerate) == (0, 1, True)


@pytest.mark.parametrize("interval", TABLES)
@given(table=cells)
def test_tables_estimate_inside_and_symmetric(interval, table):
    a, b, c, d = table
    r, swapped = interval(a, b, c, d), interval(a, c, b, d)
    shrunk = interval is bonett_price_interval  # its centre is pulled towards zero
    assert shrunk or r.low <= r.estimate <= r.high
    assert -1 <= r.low <= r.high <= 1
    assert (r.low, r.high) == pytest.approx((-swapped.high, -swapped.low), abs=1e-8)
    assert r.estimate == (b - c) / sum(table)


@given(b=st.integers(0, 40), c=st.integers(0, 40))
def test_sign_flips_of_single_trials_are_mcnemar(b, c):
    flips = sign_flip_test([1] * b + [-1] * c + [0])
    exact = mcnemar_test(b, c, method="exact")
    assert flips.pvalue == pytest.approx(exact.pvalue)
    assume(b != c)  # at a tie the two definitions of mid-p differ, both far from any level
    assert flips.midp == pytest.approx(mcnemar_test(b, c).pvalue)


def test_mcnemar_of_large_counts_and_of_none():
    assert mcnemar_test(0, 0).pvalue == 1
    assert mcnemar_test(0, 0, method="asymptotic").pvalue == 1
    big = mcnemar_test(5_100, 4_900)
    assert big.pvalue == pytest.approx(
        mcnemar_test(5_100, 4_900, method="asymptotic").pvalue, rel=0.01
    )


differences = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


@given(d=differences, side=st.sampled_from(["two-sided", "less", "greater"]))
def test_sign_flip_against_all_flips(d, side):
    flipped = [
        sum(s * abs(x) for s, x in zip(signs, d, strict=True))
        for signs in product((-1, 1), repeat=len(d))
    ]
    observed = sum(d)
    value = {"two-sided": abs, "less": lambda x: -x, "greater": lambda x: x}[side]
    expected = np.mean([value(f) >= value(observed) for f in flipped])
    ties = np.mean([value(f) == value(observed) for f in flipped])
    r = sign_flip_test(np.array(d) / 3, alternative=side)
    if any(d):
        assert (r.pvalue, r.midp) == pytest.approx((expected, expected - ties / 2))
    else:
        assert (r.pvalue, r.midp) == (1, 1)


def test_sign_flip_enumerates_what_is_on_no_lattice():
    d = np.random.default_rng(2).normal(0.4, 1, 12)
    exact, drawn = sign_flip_test(d, exact=True), sign_flip_test(d, exact=False, resamples=50_000)
    assert exact.method == "sign_flip"
    assert drawn.method == "sign_flip_simulated"
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=0.01)
    with pytest.raises(InvalidInput, match="lattice"):
        sign_flip_test(np.random.default_rng(2).normal(size=40), exact=True)


def test_simulated_sign_flips_do_not_depend_on_row_order():
    d = np.random.default_rng(2).normal(0.2, 1, 60)
    r, shuffled = sign_flip_test(d), sign_flip_test(np.random.default_rng(0).permutation(d))
    assert (r.pvalue, r.midp) == (shuffled.pvalue, shuffled.midp)
    assert r.method == "sign_flip_simulated"
    assert 0 < r.midp < r.pvalue


def test_many_tasks_stay_exact():
    rng = np.random.default_rng(0)
    d = (rng.binomial(5, 0.55, 500) - rng.binomial(5, 0.5, 500)) / 5
    exact, drawn = sign_flip_test(d, exact=True), sign_flip_test(d, exact=False, resamples=20_000)
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=0.01)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_paired_t_estimate_inside_and_symmetric(rows):
    a, b = np.array(rows).T / 4
    r, swapped = paired_t_difference(a, b), paired_t_difference(b, a)
    assert r.low <= r.estimate <= r.high
    assert (r.low, r.high, r.pvalue) == pytest.approx((-swapped.high, -swapped.low, swapped.pvalue))


def test_paired_t_without_spread_borrows_an_interval_or_has_none():
    rates = paired_t_difference([0.0, 1.0, 0.5], [0.0, 1.0, 0.5])
    assert rates.degenerate
    assert rates.low < 0 < rates.high
    costs = paired_t_difference([3.0, 4.0], [4.0, 5.0])
    assert np.isnan([costs.low, costs.high]).all()


def test_inputs_are_never_changed():
    a, b = np.array([3, 1, 2]), np.array([2, 1, 3])
    newcombe_cluster_difference(a, 3, b, 3)
    sign_flip_test(a - b)
    paired_t_difference(a, b)
    assert a.tolist() == [3, 1, 2]
    assert b.tolist() == [2, 1, 3]


BAD = [
    lambda: newcombe_cluster_difference([1, 2], 3, [1, 2, 3], 3),
    lambda: newcombe_cluster_difference([1, 4], 3, [1, 2], 3),
    lambda: newcombe_cluster_difference([1, 2], 3, [1, 2], 3, level=90),
    lambda: paired_t_difference([0.1, 0.2], [0.1]),
    lambda: paired_t_difference([0.1, float("nan")], [0.1, 0.2]),
    lambda: sign_flip_test([0.1, float("nan")]),
    lambda: sign_flip_test([0.1], alternative="both"),
    lambda: sign_flip_test([0.1], exact="yes"),
    lambda: sign_flip_test([0.1], exact=1),
    lambda: sign_flip_test([0.1], resamples=0),
    lambda: mcnemar_test(-1, 2),
    lambda: mcnemar_test(1.5, 2),
    lambda: mcnemar_test(1, 2, method="yates"),
    lambda: tango_interval(1, -1, 0, 2),
    lambda: bonett_price_interval(1, 1, 0, 2, level=0),
]


@pytest.mark.parametrize("call", BAD)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.parametrize(
    "call",
    [
        lambda: newcombe_cluster_difference([], 3, [], 3),
        lambda: newcombe_cluster_difference([0, 1], [0, 1], [0, 1], [1, 1]),
        lambda: paired_t_difference([0.1], [0.2]),
        lambda: sign_flip_test([]),
        lambda: newcombe_paired_interval(0, 0, 0, 0),
    ],
)
def test_too_little_is_said_so(call):
    with pytest.raises(NotEnoughData):
        call()
