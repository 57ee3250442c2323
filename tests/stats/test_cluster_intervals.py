"""Pass rates over tasks with repeats."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    beta_binomial_interval,
    cluster_standard_error,
    cluster_t_interval,
    intraclass_correlation,
    korn_graubard_interval,
    wilson_cluster_interval,
    wilson_interval,
)

INTERVALS = [wilson_cluster_interval, korn_graubard_interval, beta_binomial_interval]
task = st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
tasks = st.lists(task, min_size=2, max_size=30).map(lambda rows: np.array(rows).T)


@pytest.mark.parametrize("interval", INTERVALS)
@given(data=tasks, level=st.sampled_from([0.8, 0.9, 0.95]))
def test_estimate_lies_inside_and_limits_in_range(interval, data, level):
    r = interval(*data, level=level)
    assert 0 <= r.low <= r.estimate <= r.high <= 1
    assert r.width > 0
    assert (r.n_tasks, r.n_trials) == (data.shape[1], data[1].sum())


@pytest.mark.parametrize("interval", [*INTERVALS, cluster_t_interval])
@given(data=tasks, seed=st.integers(0, 99))
def test_row_order_changes_no_bit(interval, data, seed):
    order = np.random.default_rng(seed).permutation(data.shape[1])
    before, after = interval(*data), interval(*data[:, order])
    assert (before.estimate, *before) == pytest.approx((after.estimate, *after), abs=0, nan_ok=True)


@pytest.mark.parametrize("interval", INTERVALS)
@given(data=tasks)
def test_passes_and_fails_mirror(interval, data):
    k, n = data
    r, mirrored = interval(k, n), interval(n - k, n)
    assert r.low == pytest.approx(1 - mirrored.high, abs=1e-6)


@pytest.mark.parametrize("interval", INTERVALS)
@given(data=tasks)
def test_a_higher_level_is_no_narrower(interval, data):
    narrow, wide = interval(*data, level=0.8), interval(*data, level=0.95)
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@given(data=tasks)
def test_effective_trials_stay_between_tasks_and_their_cap(data):
    r = wilson_cluster_interval(*data)
    cap = data.shape[1] ** 2 / np.sum(1 / data[1])
    assert data.shape[1] <= r.n_eff <= cap + 1e-9


@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_without_repeats_it_is_wilson(outcomes):
    r = wilson_cluster_interval(outcomes, 1)
    plain = wilson_interval(sum(outcomes), len(outcomes))
    assert (r.low, r.high) == pytest.approx((plain.low, plain.high), abs=1e-12)
    assert r.n_eff == pytest.approx(len(outcomes))


def test_all_pass_is_not_certain():
    r = wilson_cluster_interval([3] * 10, 3)
    assert (r.high, r.n_eff) == (1, 10)
    assert 0.6 < r.low < 0.75


def test_many_repeats_of_one_task_do_not_pass_for_many_tasks():
    k, n = [9] * 10, [10] * 9 + [500]
    assert wilson_cluster_interval(k, n).n_eff < 110


def test_one_repeated_task_says_nothing():
    for interval in (wilson_cluster_interval, korn_graubard_interval):
        r = interval([2], [3])
        assert (r.low, r.high, r.degenerate) == (0, 1, True)
    assert not wilson_cluster_interval([1], [1]).degenerate


def test_scores_in_place_of_counts():
    r = wilson_cluster_interval(values=[0.2, 0.4, 0.4, 0.9])
    assert r.estimate == pytest.approx(0.475)
    assert r.n_trials is None
    assert korn_graubard_interval(values=[0.2, 0.4, 0.4, 0.9]).contains(0.475)
    same = wilson_cluster_interval([1, 2, 2], [4, 4, 4])
    assert wilson_cluster_interval(values=[0.25, 0.5, 0.5]).estimate == same.estimate


def test_runs_are_narrower_than_tasks_and_need_repeats():
    k = [0, 5, 5, 0, 5, 2, 5, 0]
    runs, population = wilson_cluster_interval(k, 5, over="runs"), wilson_cluster_interval(k, 5)
    assert runs.width < population.width
    assert runs.estimand != population.estimand
    with pytest.raises(NotEnoughData, match="run once"):
        wilson_cluster_interval([1, 2], [1, 3], over="runs")
    with pytest.raises(InvalidInput):
        wilson_cluster_interval(values=[0.5, 0.2], over="runs")


def test_stable_tasks_leave_only_the_trials_to_count():
    assert wilson_cluster_interval([3, 0, 3], 3, over="runs").n_eff == 9


def test_quantile_z_is_narrower():
    k = [3, 0, 1, 3, 2]
    assert wilson_cluster_interval(k, 3, quantile="z").width < wilson_cluster_interval(k, 3).width


def test_cluster_t_has_no_width_to_offer_without_spread():
    r = cluster_t_interval([3, 3, 3], 3)
    assert np.isnan([r.low, r.high]).all()
    assert r.degenerate


def test_equal_repeats_make_task_mean_and_pooled_rate_one():
    k = [3, 0, 1, 3, 2, 2]
    by_task, pooled = cluster_t_interval(k, 3), cluster_t_interval(k, 3, weights="trials")
    assert (by_task.low, by_task.high) == pytest.approx((pooled.low, pooled.high))
    spread = np.std(np.array(k) / 3, ddof=1) / np.sqrt(6)
    assert cluster_standard_error(k, 3) == pytest.approx(spread)
    assert cluster_standard_error(values=np.array(k) / 3) == pytest.approx(spread)


def test_corrections_are_ordered():
    k, n = [1, 1, 3, 2, 4, 0], [1, 2, 3, 5, 4, 3]
    cr0, cr1, cr2 = (cluster_standard_error(k, n, correction=c) for c in ("cr0", "cr1", "cr2"))
    assert cr0 < cr1 < cr2


def test_intraclass_correlation_of_identical_and_of_unlike_repeats():
    assert float(intraclass_correlation([3, 0, 3, 0], 3)) == pytest.approx(1)
    assert float(intraclass_correlation([1, 1, 1, 1], 2)) < 0
    assert "24 trials of 8 tasks" in str(intraclass_correlation([3, 3, 2, 0, 1, 3, 0, 3], 3))


BAD = {
    "passed above n": (([4, 1], 3), {}),
    "fractions of passes": (([0.5, 1], 3), {}),
    "lengths": (([1, 2], [3, 3, 3]), {}),
    "a table": (([[1, 2]], 3), {}),
    "NaN": (([1, float("nan")], 3), {}),
    "level": (([1, 2], 3), {"level": 95}),
    "counts and scores": (([1], 3), {"values": [0.5]}),
    "nothing at all": ((), {}),
    "scores above 1": ((), {"values": [0.5, 1.5]}),
    "score NaN": ((), {"values": [float("nan")]}),
    "option": (([1, 2], 3), {"over": "everything"}),
    "quantile": (([1, 2], 3), {"quantile": "normal"}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_in_three_parts(case):
    arguments, options = BAD[case]
    with pytest.raises(InvalidInput) as caught:
        wilson_cluster_interval(*arguments, **options)
    assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.parametrize("data", [([], 3), ([1, 0], [1, 0])])
@pytest.mark.parametrize("interval", INTERVALS)
def test_no_task_or_no_trial_is_not_enough(interval, data):
    with pytest.raises(NotEnoughData) as caught:
        interval(*data)
    assert caught.value.fix


def test_one_task_has_no_standard_error():
    for call in (
        lambda: cluster_standard_error([1], [3]),
        lambda: intraclass_correlation([1], [3]),
        lambda: intraclass_correlation([1, 1], [1, 1]),
    ):
        with pytest.raises(NotEnoughData):
            call()
    with pytest.raises(InvalidInput):
        cluster_standard_error([1, 2], 3, correction="hc3")
