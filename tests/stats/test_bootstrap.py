"""Bootstrap over tasks: determinism, degenerate data, agreement with SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import bootstrap_interval, resampled_means, wilson_cluster_interval
from agenteval.stats.resampling import draw_counts

METHODS = ["percentile", "basic", "bca", "studentised", "expanded_percentile"]
RATES = np.array([0, 1, 3, 5, 5, 5, 2, 4, 5, 1, 0, 5, 3, 5, 4, 5, 5, 2, 5, 1]) / 5
COSTS = np.random.default_rng(7).lognormal(0, 1, 40)


def limits(values, **options):
    r = bootstrap_interval(values, resamples=2_000, **options)
    return r.estimate, r.low, r.high


@pytest.mark.parametrize("values", [RATES, COSTS], ids=["rates", "costs"])
@pytest.mark.parametrize("method", METHODS)
def test_row_order_changes_no_bit(values, method):
    shuffled = np.random.default_rng(1).permutation(values)
    assert limits(values, method=method) == limits(shuffled, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_seed_is_all_the_randomness_there_is(method):
    assert limits(COSTS, method=method, seed=3) == limits(COSTS, method=method, seed=3)
    assert limits(COSTS, method=method, seed=3) != limits(COSTS, method=method, seed=4)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@given(st.lists(st.integers(0, 4), min_size=3, max_size=25).filter(lambda x: len(set(x)) > 1))
def test_estimate_lies_inside(method, counts):
    estimate, low, high = limits(np.array(counts) / 4, method=method)
    assert low <= estimate <= high


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_is_no_narrower(method):
    _, low, high = limits(COSTS, method=method, level=0.8)
    _, lower, higher = limits(COSTS, method=method, level=0.99)
    assert lower <= low < high <= higher


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_agrees_with_scipy_up_to_simulation(method):
    r = bootstrap_interval(COSTS, method=method, resamples=40_000)
    name = {"bca": "BCa"}.get(method, method)
    theirs = scipy_stats.bootstrap(
        (COSTS,), np.mean, method=name, n_resamples=40_000, rng=np.random.default_rng(0)
    )
    interval = theirs.confidence_interval
    assert (r.low, r.high) == pytest.approx((interval.low, interval.high), rel=0.02)
    assert r.standard_error == pytest.approx(theirs.standard_error, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [RATES[:6], [1.0, 2.0, 4.0, 9.0]], ids=["rates", "costs"])
def test_drawing_approaches_enumeration(method, values):
    exact = bootstrap_interval(values, method=method, exhaustive=True)
    drawn = bootstrap_interval(values, method=method, resamples=100_000)
    assert exact.resamples == len(values) ** len(values)
    assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.02)
    # limits of so few values jump from one attainable mean to the next
    step = np.ptp(values) / len(values) / 2
    assert (drawn.low, drawn.high) == pytest.approx((exact.low, exact.high), abs=step, rel=0.35)


def test_metrics_share_their_resamples():
    table = np.c_[COSTS, 2 * COSTS + 1, RATES[np.arange(40) % 20]]
    r = bootstrap_interval(table, method="percentile")
    assert r.low.shape == (3,)
    assert r.low[1] == pytest.approx(2 * r.low[0] + 1)
    alone = bootstrap_interval(COSTS, method="percentile")
    assert r.low[0] == pytest.approx(alone.low, rel=0.05)


def test_ratio_of_sums():
    table = np.c_[COSTS, RATES[np.arange(40) % 20] + 0.1]
    ratio = bootstrap_interval(table, statistic="ratio")
    assert ratio.estimate == pytest.approx(table[:, 0].sum() / table[:, 1].sum())
    assert ratio.low < ratio.estimate < ratio.high
    own = bootstrap_interval(table, statistic=lambda m: m[:, 0] / m[:, 1])
    assert (own.low, own.high) == pytest.approx((ratio.low, ratio.high))


@pytest.mark.parametrize("method", METHODS)
def test_equal_task_values_get_the_wilson_interval(method):
    r = bootstrap_interval([1.0] * 12, method=method)
    wilson = wilson_cluster_interval(values=[1.0] * 12)
    assert (r.low, r.high, r.method) == (wilson.low, wilson.high, "wilson_cluster")
    assert r.degenerate


def test_equal_costs_and_one_task_have_no_limits():
    for values in ([3.0] * 12, [0.4]):
        r = bootstrap_interval(values)
        assert np.isnan([r.low, r.high]).all()
        assert r.degenerate


@pytest.mark.parametrize("value", [-1.0, -0.25, 0.0, 1.0])
def test_equal_differences_get_it_on_their_own_scale(value):
    r = bootstrap_interval([value] * 12, bounds=(-1, 1))
    turned = bootstrap_interval([-value] * 12, bounds=(-1, 1))
    assert -1 <= r.low <= value <= r.high <= 1
    assert r.low < r.high
    assert (turned.low, turned.high) == pytest.approx((-r.high, -r.low))
    assert (r.method, r.degenerate) == ("wilson_cluster", True)


@pytest.mark.parametrize(("values", "bounds"), [([0.5] * 12, None), ([2.0] * 12, (-1, 1))])
def test_equal_values_without_bounds_or_beyond_them_have_no_limits(values, bounds):
    r = bootstrap_interval(values, bounds=bounds)
    assert np.isnan([r.low, r.high]).all()
    assert r.degenerate


def test_bounds_change_nothing_where_values_differ():
    assert limits(RATES, bounds=(-1, 1)) == limits(RATES) == limits(RATES, bounds=None)


def test_one_flat_metric_among_others():
    r = bootstrap_interval(np.c_[RATES, np.ones(20), np.full(20, 7.0)])
    assert r.degenerate.tolist() == [False, True, True]
    assert np.isnan(r.low).tolist() == [False, False, True]
    assert r.method == "bootstrap_bca / wilson_cluster / bootstrap_none"


def test_ties_count_half_in_the_bias_correction():
    symmetric = bootstrap_interval([0.0] * 10 + [1.0] * 10)
    assert abs(symmetric.bias_correction) < 0.03


def test_few_distinct_values_are_drawn_from_the_same_distribution():
    few = np.repeat([0.0, 0.5, 1.0], [20, 5, 25])
    counted = resampled_means(few[:, None], resamples=40_000)[:, 0]
    drawn = np.concatenate([w @ few for w in draw_counts(50, 40_000, 1)]) / 50
    assert counted.mean() == pytest.approx(drawn.mean(), abs=0.002)
    assert counted.std() == pytest.approx(drawn.std(), rel=0.02)


def test_draws_are_whole_resamples():
    counts = np.concatenate(list(draw_counts(70_000, 3, 0)))
    assert counts.shape == (3, 70_000)
    assert (counts.sum(axis=1) == 70_000).all()


def test_inputs_are_never_changed():
    values = COSTS.copy()
    bootstrap_interval(values)
    assert (values == COSTS).all()


BAD = {
    "NaN": (([1.0, np.nan],), {}),
    "text": ((["a", "b"],), {}),
    "three dimensions": ((np.zeros((2, 2, 2)),), {}),
    "method": ((RATES,), {"method": "bc"}),
    "statistic": ((RATES,), {"statistic": "median"}),
    "ratio of one column": ((RATES,), {"statistic": "ratio"}),
    "studentised ratio": ((np.c_[COSTS, COSTS],), {"statistic": "ratio", "method": "studentised"}),
    "statistic that loses rows": ((RATES,), {"statistic": lambda m: m.mean(keepdims=True)}),
    "too many to enumerate": ((RATES,), {"exhaustive": True}),
    "no resamples": ((RATES,), {"resamples": 0}),
    "half a resample": ((RATES,), {"resamples": 1.5}),
    "level": ((RATES,), {"level": 1}),
    "seed": ((RATES,), {"seed": -1}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_in_three_parts(case):
    arguments, options = BAD[case]
    with pytest.raises(InvalidInput) as caught:
        bootstrap_interval(*arguments, **options)
    assert all([caught.value.what, caught.value.where, caught.value.fix])


def test_nothing_and_a_denominator_of_zero_are_not_enough():
    with pytest.raises(NotEnoughData):
        bootstrap_interval([])
    with pytest.raises(NotEnoughData, match="denominator"):
        bootstrap_interval([[1.0, 0.0], [2.0, 1.0], [1.0, 0.0]], statistic="ratio")
