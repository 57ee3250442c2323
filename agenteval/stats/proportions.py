"""Intervals for a proportion when the trials are independent of each other.

Repeats of one task are not independent of each other: for those see `wilson_cluster_interval`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from agenteval.stats.proportion_limits import (
    Limits,
    beta_limits,
    clopper_pearson_limits,
    normal_quantile,
    once_each,
    wilson_continuity_limits,
    wilson_limits,
)
from agenteval.stats.results import INDEPENDENT, Interval, Value, keep
from agenteval.stats.validation import Array, count_rows, open_unit


def _elementwise(
    passed: ArrayLike,
    n: ArrayLike,
    level: float,
    method: str,
    rule: Callable[[Array, Array, float], Limits],
    *,
    costly: bool = False,
) -> Interval:
    """Compute limits row by row; rows without trials get NaN and [0, 1].

    `rule` takes passes, trials and the level; a `costly` one is asked once for each distinct row.
    """
    level = open_unit(level, "level")

    def row_by_row(k: Array, m: Array) -> Limits:
        return rule(k, m, level)

    limits = once_each(row_by_row) if costly else row_by_row
    k, trials = count_rows(passed, n)
    some = trials > 0
    if some.all():
        (low, high), estimate = limits(k, trials), k / trials
    else:
        low, high = limits(k, np.where(some, trials, 1.0))
        low, high = np.where(some, low, 0.0), np.where(some, high, 1.0)
        estimate = np.full(k.shape, np.nan)
        np.divide(k, trials, out=estimate, where=some)

    def back(x: Array) -> Value:
        return x if k.ndim else float(x)

    return Interval(
        estimate=back(estimate),
        low=back(low),
        high=back(high),
        level=level,
        method=method,
        estimand=INDEPENDENT,
        n_trials=back(trials),
        inputs=keep(passed=k, n=trials),
    )


def wilson_interval(
    passed: ArrayLike, n: ArrayLike, *, level: float = 0.95, continuity: bool = False
) -> Interval:
    """Pass rate of independent trials with Wilson's score interval.

    The default for independent trials: close to its level at every rate and count, never outside
    [0, 1], never of zero width. The unit is the trial, so for repeats of tasks it is too narrow (at
    a nominal 95 % it covers 64 % in the worst simulated cell): use `wilson_cluster_interval`.

    Parameters
    ----------
    passed, n
        Passes and trials, scalars or arrays of one shape, 0 <= passed <= n. Fractions are allowed
        (an effective number of trials).
    level
        Confidence level in (0, 1).
    continuity
        Add Newcombe's continuity correction (his method 4): wider, covers at least the level.

    Returns
    -------
    Interval
        `.estimate` is passed / n. With n = 0 the estimate is NaN and the interval [0, 1]; with no
        pass the lower limit is exactly 0, with no failure the upper limit exactly 1.

    Raises
    ------
    InvalidInput
        For negative counts, passed > n, NaN, shapes that do not match, a level outside (0, 1).

    References
    ----------
    Wilson (1927), doi:10.1080/01621459.1927.10502953. Newcombe (1998),
    doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E.

    Examples
    --------
    >>> print(wilson_interval(81, 263))
    0.308 [0.2553, 0.3662] at 95 %, wilson, 263 trials
    >>> wilson_interval([0, 20], [20, 20]).high.round(4).tolist()
    [0.1611, 1.0]
    """
    if continuity:
        return _elementwise(passed, n, level, "wilson_cc", _wilson_continuity)
    return _elementwise(passed, n, level, "wilson", _wilson)


def _wilson(k: Array, m: Array, level: float) -> Limits:
    return wilson_limits(k / m, m, normal_quantile(level))


def _wilson_continuity(k: Array, m: Array, level: float) -> Limits:
    return wilson_continuity_limits(k, m, normal_quantile(level))


def clopper_pearson_interval(passed: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Interval:
    """Pass rate of independent trials with the exact (guaranteed coverage) interval.

    For when covering less than the level is not acceptable; the price is width. The unit is the
    trial. Distinct (passed, n) pairs are computed once, so a million rows take a fraction of a
    second.

    Parameters
    ----------
    passed, n
        Passes and trials, scalars or arrays of one shape, 0 <= passed <= n.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Interval
        `.estimate` is passed / n; n = 0 gives NaN and [0, 1].

    Raises
    ------
    InvalidInput
        For negative counts, passed > n, NaN, shapes that do not match, a level outside (0, 1).

    References
    ----------
    Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> print(clopper_pearson_interval(13, 16))
    0.8125 [0.5435, 0.9595] at 95 %, clopper_pearson, 16 trials
    """
    return _elementwise(passed, n, level, "clopper_pearson", clopper_pearson_limits, costly=True)


def jeffreys_interval(
    passed: ArrayLike, n: ArrayLike, *, level: float = 0.95, modified: bool = True
) -> Interval:
    """Pass rate of independent trials with the equal-tailed interval of Jeffreys' prior.

    Average coverage close to the level, narrower than Clopper-Pearson. The unit is the trial.

    Parameters
    ----------
    passed, n
        Passes and trials, scalars or arrays of one shape, 0 <= passed <= n.
    level
        Credible level in (0, 1).
    modified
        Set the lower limit to 0 when nothing passed and the upper to 1 when everything did (Brown,
        Cai & DasGupta); without it the limits exclude 0 and 1 even then.

    Returns
    -------
    Interval
        `.estimate` is passed / n; n = 0 gives NaN and [0, 1].

    Raises
    ------
    InvalidInput
        For negative counts, passed > n, NaN, shapes that do not match, a level outside (0, 1).

    References
    ----------
    Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.

    Examples
    --------
    >>> print(jeffreys_interval(1, 29))
    0.03448 [0.003746, 0.1501] at 95 %, jeffreys, 29 trials
    """
    if modified:
        return _elementwise(passed, n, level, "jeffreys", _jeffreys_ends, costly=True)
    return _elementwise(passed, n, level, "jeffreys_unmodified", _jeffreys, costly=True)


def _jeffreys(k: Array, m: Array, level: float) -> Limits:
    return beta_limits(k, m, level, (0.5, 0.5))


def _jeffreys_ends(k: Array, m: Array, level: float) -> Limits:
    low, high = _jeffreys(k, m, level)
    return np.where(k == 0, 0.0, low), np.where(k == m, 1.0, high)


def agresti_coull_interval(passed: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Interval:
    """Pass rate of independent trials with the adjusted Wald interval, clipped to [0, 1].

    Easy to check by hand and never narrower than Wilson's around the same centre. The unit is the
    trial.

    Parameters
    ----------
    passed, n
        Passes and trials, scalars or arrays of one shape, 0 <= passed <= n.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Interval
        `.estimate` is passed / n; n = 0 gives NaN and [0, 1].

    Raises
    ------
    InvalidInput
        For negative counts, passed > n, NaN, shapes that do not match, a level outside (0, 1).

    References
    ----------
    Agresti & Coull (1998), doi:10.1080/00031305.1998.10480550.

    Examples
    --------
    >>> print(agresti_coull_interval(81, 263))
    0.308 [0.2552, 0.3663] at 95 %, agresti_coull, 263 trials
    """
    return _elementwise(passed, n, level, "agresti_coull", _agresti_coull)


def _agresti_coull(k: Array, m: Array, level: float) -> Limits:
    z = normal_quantile(level)
    total = m + z * z
    centre = (k + z * z / 2) / total
    half = z * np.sqrt(centre * (1 - centre) / total)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
