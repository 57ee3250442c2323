"""Verdicts against a margin, and plans that say what can be detected."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    Difference,
    gate_verdict,
    minimum_detectable_effect,
    newcombe_cluster_difference,
    non_inferiority_test,
    optimal_repeats,
    paired_t_difference,
    paired_t_power,
    power_plan,
    variance_components,
    variance_reduction,
)


def interval(low, high, level=0.90):
    return Difference(
        estimate=(low + high) / 2, low=low, high=high, level=level, method="made", pvalue=0.5
    )


CASES = {
    (-0.20, -0.01): ("regressed", 1, 1),
    (-0.04, -0.01): ("regressed", 1, 1),
    (0.01, 0.20): ("improved", 0, 0),
    (0.01, 0.02): ("improved", 0, 0),
    (-0.04, 0.04): ("equivalent", 0, 0),
    (-0.04, 0.20): ("non_inferior", 0, 0),
    (-0.05, 0.20): ("inconclusive", 0, 3),
    (-0.20, 0.01): ("inconclusive", 0, 3),
    (-0.20, 0.0): ("inconclusive", 0, 3),
    (math.nan, math.nan): ("inconclusive", 0, 3),
    (-0.01, math.nan): ("inconclusive", 0, 3),
}


@pytest.mark.parametrize("limits", CASES, ids=str)
def test_verdicts_in_the_order_of_the_specification(limits):
    verdict, default, strict = CASES[limits]
    gate = gate_verdict(interval(*limits))
    assert gate.verdict == verdict
    assert (gate.exit_code(), gate.exit_code(mode="strict")) == (default, strict)
    assert verdict in str(gate)


def test_a_small_regression_is_shown_but_need_not_fail():
    gate = gate_verdict(interval(-0.04, -0.01), min_effect=0.03)
    assert gate.verdict == "regressed"
    assert not gate.failed
    assert (gate.exit_code(), gate.exit_code(mode="strict")) == (0, 3)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=30))
def test_swapping_the_arms_turns_the_verdict(rows):
    a, b = np.array(rows).T
    gate = gate_verdict(newcombe_cluster_difference(a, 3, b, 3, level=0.90))
    swapped = gate_verdict(newcombe_cluster_difference(b, 3, a, 3, level=0.90))
    turned = {"regressed": "improved", "improved": "regressed", "equivalent": "equivalent"}
    if gate.verdict in turned:
        assert swapped.verdict == turned[gate.verdict]


def test_non_inferiority_agrees_with_its_limit():
    d = np.random.default_rng(1).normal(0, 0.3, 60)
    for margin in (0.01, 0.05, 0.1, 0.2):
        r = non_inferiority_test(d, margin=margin)
        assert (r.pvalue < 0.05) == (r.low > -margin)


def test_plan_and_detectable_effect_are_inverse():
    parts = {"omega2": 0.08, "sigma2_a": 0.12, "sigma2_b": 0.2, "repeats_a": 3, "repeats_b": 2}
    effect = minimum_detectable_effect(tasks=150, **parts)
    assert power_plan(effect=effect, **parts).tasks == 150
    assert power_plan(effect=-effect, **parts).tasks_exact == pytest.approx(150)
    assert float(power_plan(effect=effect, **parts)) == pytest.approx(150)


def test_repeats_cannot_beat_the_spread_between_tasks():
    parts = {"tasks": 100, "omega2": 0.1, "sigma2_a": 0.2, "sigma2_b": 0.2}
    many = minimum_detectable_effect(**parts, repeats_a=10_000, repeats_b=10_000)
    floor = minimum_detectable_effect(tasks=100, omega2=0.1)
    assert floor < many < 1.001 * floor


@pytest.mark.parametrize("tasks", [5, 20, 100])
def test_t_power_is_that_of_statsmodels(tasks):
    theirs = TTestPower().power(effect_size=0.5, nobs=tasks, alpha=0.05)
    assert paired_t_power(effect=0.1, sd=0.2, tasks=tasks).power == pytest.approx(theirs, abs=1e-9)


def test_t_plans_need_more_tasks_than_normal_ones():
    normal = power_plan(effect=0.3, omega2=0.16)
    exact = paired_t_power(effect=0.3, sd=0.4)
    assert normal.tasks < exact.tasks < normal.tasks + 4
    assert paired_t_power(effect=0.3, sd=0.4, tasks=exact.tasks).power >= 0.8
    assert paired_t_power(effect=40, sd=0.4).tasks == 2
    assert "detect a difference of 0.3" in str(exact)


def test_variance_components_take_the_noise_out():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 1, 20_000)
    a, b = rng.binomial(4, p), rng.binomial(4, p)
    parts = variance_components(a, 4, b, 4)
    assert parts.omega2 == pytest.approx(0, abs=0.003)
    assert parts.sigma2_a == pytest.approx(1 / 6, abs=0.003)
    once = variance_components(a > 2, 1, b > 2, 1)
    assert math.isnan(once.sigma2_a)
    assert once.omega2 > 0
    assert parts.n_tasks == 20_000


def test_optimal_repeats_minimise_variance_for_a_budget():
    best = optimal_repeats(omega2=0.05, sigma2=0.2, cost_task=9, cost_repeat=1)

    def price(k):
        return (0.05 + 0.2 / k) * (9 + k)

    assert price(best) < min(price(best - 1), price(best + 1))
    assert optimal_repeats(omega2=0.05, sigma2=0.2, cost_task=0, cost_repeat=1) == 1
    assert optimal_repeats(omega2=0, sigma2=0.2, cost_task=1, cost_repeat=1) == math.inf
    assert optimal_repeats(omega2=0, sigma2=0, cost_task=1, cost_repeat=1) == 1


def test_one_repeat_reduces_nothing():
    assert variance_reduction(var_between=0.1, var_within=0.2, repeats=1) == 0


PLAN = {"omega2": 0.1}


@pytest.mark.parametrize(
    "call",
    [
        lambda: gate_verdict(interval(-0.1, 0.1, level=0.95)),
        lambda: gate_verdict(interval(-0.1, 0.1), margin=0),
        lambda: gate_verdict(interval(-0.1, 0.1), margin=float("nan")),
        lambda: gate_verdict(interval(-0.1, 0.1), min_effect=-0.1),
        lambda: gate_verdict(0.3),
        lambda: gate_verdict(paired_t_difference([0.1, 0.2, 0.4], [0.2, 0.2, 0.1])),
        lambda: gate_verdict(interval(-0.1, 0.1)).exit_code(mode="lenient"),
        lambda: non_inferiority_test([0.1, 0.2], margin=-1),
        lambda: non_inferiority_test([0.1, 0.2], margin=0.1, alpha=0.7),
        lambda: power_plan(effect=0, **PLAN),
        lambda: power_plan(effect=0.1, omega2=-1),
        lambda: power_plan(effect=0.1, omega2=0),
        lambda: power_plan(effect=0.1, power=1.2, **PLAN),
        lambda: power_plan(effect=0.1, repeats_a=0, **PLAN),
        lambda: minimum_detectable_effect(tasks=0, **PLAN),
        lambda: minimum_detectable_effect(tasks=10.5, **PLAN),
        lambda: paired_t_power(effect=0.1, sd=0),
        lambda: paired_t_power(effect=0.1, sd=1, power=0.8, tasks=10),
        lambda: variance_reduction(var_between=0, var_within=0, repeats=2),
        lambda: variance_reduction(var_between=1, var_within=1, repeats=0),
        lambda: optimal_repeats(omega2=1, sigma2=1, cost_task=1, cost_repeat=0),
        lambda: variance_components([1], 3, [1, 2], 3),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


@pytest.mark.parametrize(
    "call",
    [
        lambda: non_inferiority_test([0.1], margin=0.1),
        lambda: non_inferiority_test([0.0, 0.0], margin=0.1),
        lambda: variance_components([1], 3, [1], 3),
    ],
)
def test_too_little_is_said_so(call):
    with pytest.raises(NotEnoughData):
        call()
