"""Difference of two pass rates over the same tasks, with repeats."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from agenteval.stats.cluster_intervals import wilson_around
from agenteval.stats.clusters import effective_trials
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.results import OVER_TASKS, Difference, Interval, keep
from agenteval.stats.sign_flip import sign_flip_test
from agenteval.stats.task_rates import TaskRates, paired_rates
from agenteval.stats.validation import open_unit


def newcombe_cluster_difference(
    passed_a: ArrayLike,
    n_a: ArrayLike,
    passed_b: ArrayLike,
    n_b: ArrayLike,
    *,
    level: float = 0.95,
) -> Difference:
    """Difference B - A of two pass rates over the same tasks, repeats allowed.

    The default for comparing two arms. Newcombe's paired score interval (his method 10) with each
    arm's Wilson limits taken at its effective number of trials, and the covariance of the arms over
    tasks reduced by half a trial before it is used. Without repeats it is Newcombe's method. The
    generalisation is this package's own and in no paper: simulation is its only warrant, and a slow
    test repeats the decisive cells. Over 56 cells at 95 % it covers 94.2 % at worst and 95.8 %
    on average, where the paired t falls to 74.0 % (near-deterministic pairs, 10 tasks x 3) and the
    same interval without the reduction to 86.0 %. The task is the independent unit. The p-value is
    the sign-flip mid-p (type I 4.0 % on average, 5.5 % at most at a nominal 5 %); interval and
    p-value come from different procedures and can disagree at the margin.

    Parameters
    ----------
    passed_a, n_a, passed_b, n_b
        Passes and repeats of each arm by task, tasks in the same order; one n for all is enough.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` is the mean over tasks of B's rate minus A's, in [-1, 1]; `.arm_a` and `.arm_b`
        are the Wilson intervals inside it, with their `.n_eff`; `.correlation` is the one used.
        Not zero-width when all pass on both sides.

    Raises
    ------
    InvalidInput
        For impossible counts, NaN, arms of different length, a level outside (0, 1).
    NotEnoughData
        For no task or a task without trials.

    References
    ----------
    Newcombe (1998), doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.

    Examples
    --------
    >>> a, b = [3, 3, 2, 0, 1, 3, 0, 3], [3, 2, 2, 1, 1, 3, 0, 2]
    >>> result = newcombe_cluster_difference(a, 3, b, 3)
    >>> print(f"{result.low:.3f} to {result.high:.3f}, p = {result.pvalue:.3f}")
    -0.200 to 0.153, p = 0.625
    """
    level = open_unit(level, "level")
    a, b = paired_rates(passed_a, n_a, passed_b, n_b)
    return newcombe_of_rates(a, b, level)


def newcombe_of_rates(a: TaskRates, b: TaskRates, level: float) -> Difference:
    """Combine two arms' rates over the same tasks, in the same order."""
    z = normal_quantile(level)
    arm_a, arm_b = _arm(a, level, z), _arm(b, level, z)
    r = _correlation(a, b)
    low, high = newcombe_limits(arm_a, arm_b, r)
    d = b.mean - a.mean
    trials = None if a.trials is None or b.trials is None else a.trials + b.trials
    return Difference(
        estimate=arm_b.estimate - arm_a.estimate,
        low=low,
        high=high,
        level=level,
        method="newcombe_cluster",
        estimand=f"B - A, {OVER_TASKS}",
        n_tasks=a.tasks,
        n_trials=trials,
        degenerate=bool(np.ptp(d) == 0),
        pvalue=sign_flip_test(d).midp,
        test="sign-flip mid-p",
        arm_a=arm_a,
        arm_b=arm_b,
        correlation=r,
        inputs=keep(
            passed_a=a.passed, n_a=a.repeats, passed_b=b.passed, n_b=b.repeats, differences=d
        ),
    )


def newcombe_limits(arm_a: Interval, arm_b: Interval, correlation: float) -> tuple[float, float]:
    """Return the limits of B - A from each arm's own limits and their correlation."""
    down_b, up_b = arm_b.estimate - arm_b.low, arm_b.high - arm_b.estimate
    down_a, up_a = arm_a.estimate - arm_a.low, arm_a.high - arm_a.estimate
    below = down_b**2 - 2 * correlation * down_b * up_a + up_a**2
    above = up_b**2 - 2 * correlation * up_b * down_a + down_a**2
    difference = arm_b.estimate - arm_a.estimate
    return difference - sqrt(max(below, 0.0)), difference + sqrt(max(above, 0.0))


def _arm(rates: TaskRates, level: float, z: float) -> Interval:
    n_eff = effective_trials(rates)
    low, high = wilson_around(rates, n_eff, z)
    return Interval(
        estimate=rates.estimate,
        low=low,
        high=high,
        level=level,
        method="wilson_cluster (z)",
        estimand=OVER_TASKS,
        n_tasks=rates.tasks,
        n_trials=rates.trials,
        n_eff=n_eff,
    )


def _correlation(a: TaskRates, b: TaskRates) -> float:
    """Return the correlation of the task means, a positive covariance reduced by half a trial."""
    covariance = float(np.mean((a.mean - a.estimate) * (b.mean - b.estimate)))
    spread = float(a.mean.std() * b.mean.std())
    if spread <= 1e-14:
        return 0.0
    ones = np.ones(a.tasks)
    repeats_a = ones if a.repeats is None else a.repeats
    repeats_b = ones if b.repeats is None else b.repeats
    half_trial = 1 / (2 * float(np.minimum(repeats_a, repeats_b).sum()))
    if covariance > 0:
        covariance = max(covariance - half_trial, 0.0)
    return covariance / spread
