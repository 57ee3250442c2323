"""Speed of elementwise intervals and exact tests. Prints, asserts nothing.

Run with: pytest tests/benchmarks -n 0 -s
"""

import time

import numpy as np
import pytest
from scipy.stats import permutation_test
from statsmodels.stats.proportion import proportion_confint

from agenteval.stats import (
    beta_binomial_interval,
    clopper_pearson_interval,
    confidence_sequence,
    newcombe_cluster_difference,
    sign_flip_test,
    wilson_cluster_interval,
    wilson_interval,
)

RNG = np.random.default_rng(0)
N = RNG.integers(1, 200, 10**6)
PASSED = RNG.binomial(N, 0.4)


def milliseconds(function, repeats=3):
    """Best processor time of this thread: a busy machine changes it least."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time()
        function()
        best = min(best, time.thread_time() - start)
    return 1000 * best


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(clopper_pearson_interval, "beta"), (wilson_interval, "wilson")],
    ids=["clopper_pearson", "wilson"],
)
def test_a_million_rows_against_statsmodels(ours, theirs):
    here = milliseconds(lambda: ours(PASSED, N))
    there = milliseconds(lambda: proportion_confint(PASSED, N, method=theirs), 1)
    print(f"\n{ours.__name__}, 10^6 rows: {here:.1f} ms, statsmodels {there:.1f} ms, "
          f"{there / here:.1f} times as fast")  # fmt: skip


def test_exact_sign_flips_against_scipy():
    d = (RNG.binomial(5, 0.5, 500) - RNG.binomial(5, 0.5, 500)) / 5
    here = milliseconds(lambda: sign_flip_test(d))
    there = milliseconds(
        lambda: permutation_test(
            (d,), np.mean, permutation_type="samples", n_resamples=9_999, rng=1
        ),
        1,
    )
    print(f"\nexact sign flips, 500 tasks x 5: {here:.1f} ms, scipy with 9,999 samples "
          f"{there:.1f} ms, {there / here:.0f} times as fast")  # fmt: skip


CALLS = {
    "wilson_cluster": lambda a, b: wilson_cluster_interval(a, 5),
    "newcombe_cluster": lambda a, b: newcombe_cluster_difference(a, 5, b, 5),
    "beta_binomial": lambda a, b: beta_binomial_interval(a, 5),
    "betting sequence": lambda a, b: confidence_sequence((b - a) / 5, bounds=(-1, 1)),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_a_report_calls(name):
    p = RNG.beta(1, 1, 500)
    a, b = RNG.binomial(5, p), RNG.binomial(5, p)
    print(f"\n{name}, 500 tasks x 5: {milliseconds(lambda: CALLS[name](a, b)):.2f} ms")
