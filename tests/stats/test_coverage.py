"""The claims of the docstrings about coverage and error, simulated in their decisive cells.

A bound is the claim less three Monte Carlo standard errors of these (fewer) data sets.
"""

import numpy as np
import pytest

from agenteval.stats import (
    bootstrap_interval,
    confidence_sequence,
    gate_verdict,
    korn_graubard_interval,
    newcombe_cluster_difference,
    paired_t_difference,
    sign_flip_test,
    wilson_cluster_interval,
    wilson_interval,
)

pytestmark = pytest.mark.slow

SETS = 1_500
ERROR = 3 * np.sqrt(0.95 * 0.05 / SETS)


def mean_point_9(rng, size):
    return rng.beta(4.5, 0.5, size)


def uniform_ends(rng, size):
    return rng.beta(0.5, 0.5, size)


def humped(rng, size):
    return rng.beta(2, 2, size)


POPULATIONS = {mean_point_9: 0.9, uniform_ends: 0.5, humped: 0.5}


def covers(make_interval, truth, sets=SETS, seed=0):
    rng = np.random.default_rng(seed)
    return np.mean([make_interval(rng).contains(truth) for _ in range(sets)])


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize(("tasks", "repeats"), [(10, 3), (24, 3), (100, 5)])
def test_wilson_cluster_covers_the_population_mean(population, tasks, repeats):
    def interval(rng):
        return wilson_cluster_interval(rng.binomial(repeats, population(rng, tasks)), repeats)

    assert 0.945 - ERROR < covers(interval, POPULATIONS[population]) < 0.985


def test_pooled_wilson_does_not():
    def interval(rng):
        return wilson_interval(int(rng.binomial(5, uniform_ends(rng, 100)).sum()), 500)

    assert covers(interval, 0.5) < 0.78


def test_one_task_of_fifty_repeats_does_not_narrow_the_interval():
    n = np.array([1] * 9 + [50])

    def interval(rng):
        return wilson_cluster_interval(rng.binomial(n, mean_point_9(rng, 10)), n)

    assert covers(interval, 0.9) > 0.97 - ERROR


def test_exact_method_never_falls_short():
    def interval(rng):
        return korn_graubard_interval(rng.binomial(3, mean_point_9(rng, 24)), 3)

    assert covers(interval, 0.9) > 0.952 - ERROR


@pytest.mark.parametrize(("tasks", "repeats"), [(24, 3), (100, 5)])
def test_over_runs_covers_the_mean_of_these_tasks(tasks, repeats):
    rng = np.random.default_rng(4)
    rates = [humped(rng, tasks) for _ in range(SETS)]
    hits = [
        wilson_cluster_interval(rng.binomial(repeats, p), repeats, over="runs").contains(p.mean())
        for p in rates
    ]
    assert 0.94 - ERROR < np.mean(hits) < 0.975


def test_bootstrap_falls_short_near_one_as_its_docstring_says():
    def interval(rng):
        values = rng.binomial(3, mean_point_9(rng, 24)) / 3
        return bootstrap_interval(values, method="percentile", resamples=500)

    assert covers(interval, 0.9, sets=600) < 0.93


def stable_pairs(rng):
    """Ten tasks that all but always pass or fail, a few of them differently under B."""
    p_a = rng.beta(0.1, 0.1, 10)
    p_b = np.where(rng.random(10) < 0.1, rng.beta(0.1, 0.1, 10), p_a)
    return p_a, p_b, 3


def varied_pairs(rng):
    p_a = rng.beta(1, 1, 24)
    return p_a, np.clip(p_a + rng.normal(0, 0.15, 24), 0, 1), 3


def unlike_pairs(rng):
    return rng.beta(0.5, 0.5, 50), rng.beta(0.5, 0.5, 50), 1


def high_pairs(rng):
    p_a = mean_point_9(rng, 30)
    return p_a, np.where(rng.random(30) < 0.2, mean_point_9(rng, 30), p_a), 5


PAIRS = [stable_pairs, varied_pairs, unlike_pairs, high_pairs]


def simulated(pairs, rng):
    p_a, p_b, repeats = pairs(rng)
    return rng.binomial(repeats, p_a), rng.binomial(repeats, p_b), repeats


@pytest.mark.parametrize("pairs", PAIRS)
def test_newcombe_cluster_covers_and_its_p_value_keeps_its_level(pairs):
    """In all four worlds the arms' population means are equal."""
    rng = np.random.default_rng(1)
    results = []
    for _ in range(SETS):
        a, b, repeats = simulated(pairs, rng)
        results.append(newcombe_cluster_difference(a, repeats, b, repeats))
    assert np.mean([r.contains(0) for r in results]) > 0.942 - ERROR
    assert np.mean([r.pvalue < 0.05 for r in results]) < 0.055 + ERROR


def test_paired_t_misses_a_small_loss_of_stable_tasks_and_newcombe_does_not():
    """When nothing flips, the t interval is the single point 0; the truth is a loss of .02."""
    rng = np.random.default_rng(2)
    p_a, p_b = np.repeat([0.99, 0.01], 5), np.repeat([0.95, 0.01], 5)
    t_hits, newcombe_hits = [], []
    for _ in range(SETS):
        a, b = rng.binomial(3, p_a), rng.binomial(3, p_b)
        t = paired_t_difference(a / 3, b / 3)
        t_hits.append(not t.degenerate and t.contains(-0.02))
        newcombe_hits.append(newcombe_cluster_difference(a, 3, b, 3).contains(-0.02))
    assert np.mean(t_hits) < 0.8
    assert np.mean(newcombe_hits) > 0.942 - ERROR


def test_sign_flip_mid_p_is_nearer_its_level_than_the_exact_p():
    rng = np.random.default_rng(3)
    tests = []
    for _ in range(2 * SETS):
        p = humped(rng, 24)
        tests.append(sign_flip_test((rng.binomial(3, p) - rng.binomial(3, p)) / 3))
    exact, midp = (np.mean([getattr(t, n) < 0.05 for t in tests]) for n in ("pvalue", "midp"))
    assert exact < midp < 0.055 + ERROR
    assert midp > 0.03


def test_a_gate_seldom_fails_an_unchanged_agent():
    rng = np.random.default_rng(5)
    verdicts = []
    for _ in range(SETS):
        p = uniform_ends(rng, 40)
        a, b = rng.binomial(3, p), rng.binomial(3, p)
        verdicts.append(gate_verdict(newcombe_cluster_difference(a, 3, b, 3, level=0.90)).verdict)
    assert verdicts.count("regressed") / SETS < 0.05 + ERROR
    assert verdicts.count("improved") / SETS < 0.05 + ERROR


@pytest.mark.parametrize("method", ["betting", "asymptotic"])
def test_looking_after_every_task_does_not_reject_a_true_null(method):
    rng = np.random.default_rng(6)
    rejected, sets = 0, 400
    for _ in range(sets):
        p = humped(rng, 150)
        d = (rng.binomial(3, p) - rng.binomial(3, p)) / 3
        sequence = confidence_sequence(d, method=method, bounds=(-1, 1))
        rejected += sequence.decided(0.0) is not None
    assert rejected / sets < 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)
