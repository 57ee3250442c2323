"""Counts in 2 x 2 tables: one task at a time, and all tasks together."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.results import HypothesisTest, keep
from agenteval.stats.sign_flip import Alternative
from agenteval.stats.task_rates import paired_rates
from agenteval.stats.validation import Array, choice, open_unit, real_array, whole_rows

ALTERNATIVES = ("two-sided", "less", "greater")


def _table(table: ArrayLike) -> Array:
    counts = whole_rows(real_array(table, "table"), "table")
    if counts.shape != (2, 2) or (counts < 0).any():
        what = f"the table has shape {counts.shape} or a negative count"
        raise InvalidInput(what, "argument table", "pass [[a, b], [c, d]] of counts")
    return counts


def fisher_test(table: ArrayLike, *, alternative: Alternative = "two-sided") -> HypothesisTest:
    """Test one task's passes and fails in two arms, exactly (SciPy's `fisher_exact`).

    The default for per-task regressions. The unit is the trial, within one task. With three repeats
    an arm the smallest two-sided p-value is .10, with five .0079: with so few, report the direction
    and `probability_better` instead. Over many tasks adjust with `adjust_p_values`.

    Parameters
    ----------
    table
        [[passes, fails] of one arm, [passes, fails] of the other].
    alternative
        `two-sided`, or whether the odds ratio is `less` or `greater` than 1.

    Returns
    -------
    HypothesisTest
        `.statistic` is the sample odds ratio (infinite or NaN with empty cells).

    Raises
    ------
    InvalidInput
        For a table that is not 2 x 2, negative or fractional counts, an unknown alternative.

    References
    ----------
    Fisher (1935), doi:10.2307/2342435.

    Examples
    --------
    >>> print(fisher_test([[5, 0], [1, 4]]))
    p = 0.04762, statistic = inf, fisher, two-sided
    """
    from scipy.stats import fisher_exact

    choice(alternative, "alternative", ALTERNATIVES)
    counts = _table(table)
    result = fisher_exact(counts.astype(np.int64), alternative=alternative)
    return HypothesisTest(
        pvalue=float(result.pvalue),
        statistic=float(result.statistic),
        method="fisher",
        alternative=alternative,
        null="both arms pass this task equally often",
        inputs=keep(table=counts),
    )


def boschloo_test(table: ArrayLike, *, alternative: Alternative = "two-sided") -> HypothesisTest:
    """Test one task's passes and fails in two arms, with more power than Fisher (SciPy's).

    Exact like Fisher's test but not conditional on how many passed in all, hence never less
    powerful one-sided. Two-sided is twice the smaller one-sided p-value (R's exact2x2 differs). The
    unit is the trial, within one task. Slower: milliseconds a table.

    Parameters
    ----------
    table
        [[passes, fails] of one arm, [passes, fails] of the other].
    alternative
        `two-sided`, or whether the first arm passes `less` or `greater`.

    Returns
    -------
    HypothesisTest
        `.statistic` is Fisher's p-value. When every trial came out alike p is 1.

    Raises
    ------
    InvalidInput
        For a table that is not 2 x 2, negative or fractional counts, an unknown alternative.

    References
    ----------
    Boschloo (1970), doi:10.1111/j.1467-9574.1970.tb00104.x.

    Examples
    --------
    >>> round(boschloo_test([[5, 0], [1, 4]]).pvalue, 4)
    0.0137
    """
    from scipy.stats import boschloo_exact

    choice(alternative, "alternative", ALTERNATIVES)
    counts = _table(table)
    p, statistic = 1.0, 1.0
    if counts.sum(axis=0).all() and counts.sum(axis=1).all():
        # SciPy's own search is by arms in columns.
        result = boschloo_exact(counts.astype(np.int64), alternative=alternative, n=64)
        p, statistic = float(result.pvalue), float(result.statistic)
    return HypothesisTest(
        pvalue=p,
        statistic=statistic,
        method="boschloo",
        alternative=alternative,
        null="both arms pass this task equally often",
        inputs=keep(table=counts),
    )


def cochran_mantel_haenszel_test(
    passed_a: ArrayLike,
    n_a: ArrayLike,
    passed_b: ArrayLike,
    n_b: ArrayLike,
    *,
    continuity: bool = False,
    level: float = 0.95,
) -> HypothesisTest:
    """Test whether anything changed on any task, over tasks with repeats.

    Its null hypothesis is sharp: no task changed at all. It is not a test of the mean difference:
    when effects vary over tasks and cancel it rejects 9 to 19 % of the time at a nominal 5 %, for
    then something did change. The unit is the trial within its task. Written here because the
    formula is shorter than importing statsmodels is slow.

    Parameters
    ----------
    passed_a, n_a, passed_b, n_b
        Passes and repeats of each arm by task, tasks in the same order.
    continuity
        Apply the continuity correction.
    level
        Level of the interval of the common odds ratio.

    Returns
    -------
    HypothesisTest
        `.statistic` chi-squared with one degree of freedom; `.estimate`, `.low`, `.high` the common
        odds ratio of B over A (Mantel-Haenszel) with its Robins-Breslow-Greenland limits, infinite
        or NaN where cells are empty. Tasks on which every trial came out alike carry nothing.

    Raises
    ------
    InvalidInput
        For impossible counts or arms of different length.
    NotEnoughData
        When every task's trials all came out alike.

    References
    ----------
    Mantel & Haenszel (1959), doi:10.1093/jnci/22.4.719. Robins, Breslow & Greenland (1986),
    doi:10.2307/2531052.

    Examples
    --------
    >>> print(cochran_mantel_haenszel_test([1, 3, 5, 0], 5, [3, 4, 5, 2], 5))
    p = 0.05479, statistic = 3.689, cochran_mantel_haenszel, two-sided
    """
    level = open_unit(level, "level")
    choice(continuity, "continuity", (True, False))
    rates_a, rates_b = paired_rates(passed_a, n_a, passed_b, n_b)
    (x_a, m_a), (x_b, m_b) = rates_a.counts("the test"), rates_b.counts("the test")
    total, passed = m_a + m_b, x_a + x_b
    variance = float(np.sum(m_a * m_b * passed * (total - passed) / (total**2 * (total - 1))))
    if variance <= 0:
        fix = "nothing can have changed; report the rates"
        raise NotEnoughData("on every task all trials came out alike", "arguments passed", fix)
    gap = abs(float(np.sum(x_b - m_b * passed / total)))
    statistic = max(gap - continuity / 2, 0.0) ** 2 / variance
    ratio, low, high = _common_odds_ratio(x_b, m_b - x_b, x_a, m_a - x_a, normal_quantile(level))
    return HypothesisTest(
        pvalue=float(chdtrc(1, statistic)),
        statistic=statistic,
        method="cochran_mantel_haenszel",
        null="no task changed",
        estimate=ratio,
        low=low,
        high=high,
        level=level,
        inputs=keep(passed_a=x_a, n_a=m_a, passed_b=x_b, n_b=m_b),
    )


def _common_odds_ratio(
    a: Array, b: Array, c: Array, d: Array, z: float
) -> tuple[float, float, float]:
    """Return the Mantel-Haenszel odds ratio of (a, b) over (c, d) and its limits."""
    total = a + b + c + d
    same, other = (a + d) / total, (b + c) / total
    up, down = a * d / total, b * c / total
    over, under = float(up.sum()), float(down.sum())
    if over == 0 or under == 0:
        ratio = float("nan") if over == under else (float("inf") if under == 0 else 0.0)
        return ratio, float("nan"), float("nan")
    variance = (
        float(np.sum(same * up)) / (2 * over**2)
        + float(np.sum(same * down + other * up)) / (2 * over * under)
        + float(np.sum(other * down)) / (2 * under**2)
    )
    centre, half = log(over / under), z * sqrt(variance)
    return over / under, exp(centre - half), exp(centre + half)
