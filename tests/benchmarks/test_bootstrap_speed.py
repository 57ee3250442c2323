"""Speed of the cluster bootstrap against what one would otherwise write. Prints, asserts nothing.

Run with: pytest tests/benchmarks -n 0 -s
"""

import time

import numpy as np
import pytest
from scipy import stats as scipy_stats

from agenteval.stats import bootstrap_interval

RESAMPLES = 10_000
RNG = np.random.default_rng(0)


def milliseconds(function, repeats=3):
    """Best processor time of this thread: a busy machine changes it least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        function()
        best = min(best, time.thread_time() - start)
    return 1000 * best


def report(name, ours, reference, other):
    print(f"\n{name}: {ours:.1f} ms, {reference} {other:.1f} ms, {other / ours:.1f} times as fast")


@pytest.mark.parametrize("tasks", [500, 5_000])
@pytest.mark.parametrize("kind", ["rates of 5 repeats", "costs"])
def test_bca_against_scipy(tasks, kind):
    if kind == "costs":
        values = RNG.lognormal(0, 1, tasks)
    else:
        values = RNG.binomial(5, RNG.beta(1, 1, tasks)) / 5
    ours = milliseconds(lambda: bootstrap_interval(values, resamples=RESAMPLES))
    theirs = milliseconds(
        lambda: scipy_stats.bootstrap((values,), np.mean, n_resamples=RESAMPLES, rng=1), 1
    )
    report(f"BCa, mean of {tasks} {kind}", ours, "scipy", theirs)


def paired_differences():
    p = RNG.beta(1, 1, 500)
    return (RNG.binomial(5, p) - RNG.binomial(5, p)) / 5 + RNG.normal(0, 1e-3, 500)


def test_paired_cluster_bootstrap_against_a_numpy_loop():
    d = paired_differences()

    def loop():
        rng = np.random.default_rng(0)
        means = [d[rng.integers(0, 500, 500)].mean() for _ in range(RESAMPLES)]
        return np.quantile(means, [0.025, 0.975])

    ours = milliseconds(lambda: bootstrap_interval(d, resamples=RESAMPLES))
    report("paired, 500 tasks", ours, "numpy loop", milliseconds(loop, 1))


def test_paired_cluster_bootstrap_against_multinomial_weights():
    d = paired_differences()

    def multinomial():
        weights = np.random.default_rng(0).multinomial(500, np.full(500, 1 / 500), size=RESAMPLES)
        return np.quantile(weights @ d / 500, [0.025, 0.975])

    ours = milliseconds(lambda: bootstrap_interval(d, resamples=RESAMPLES))
    report("paired, 500 tasks", ours, "multinomial", milliseconds(multinomial, 1))


def test_paired_cluster_bootstrap_against_a_pandas_loop():
    pd = pytest.importorskip("pandas")
    p = RNG.beta(1, 1, 500)
    trials = pd.DataFrame(
        {
            "task": np.tile(np.repeat(np.arange(500), 5), 2),
            "arm": np.repeat(["a", "b"], 2_500),
            "passed": np.concatenate([RNG.binomial(1, np.repeat(p, 5)) for _ in range(2)]),
        }
    )
    groups = dict(list(trials.groupby("task")))
    few = 20

    def loop():
        rng = np.random.default_rng(0)
        for _ in range(few):
            sample = pd.concat([groups[t] for t in rng.integers(0, 500, 500)])
            sample.groupby("arm").passed.mean()

    d = paired_differences()
    ours = milliseconds(lambda: bootstrap_interval(d, resamples=RESAMPLES))
    scaled = milliseconds(loop, 1) * RESAMPLES / few
    report("paired, 500 tasks x 5", ours, f"pandas loop (scaled up from {few})", scaled)


def test_each_further_metric():
    table = RNG.lognormal(0, 1, (500, 6))
    one = milliseconds(lambda: bootstrap_interval(table[:, :1], resamples=RESAMPLES))
    six = milliseconds(lambda: bootstrap_interval(table, resamples=RESAMPLES))
    print(f"\none metric {one:.1f} ms, each of five more {(six - one) / 5:.1f} ms")
