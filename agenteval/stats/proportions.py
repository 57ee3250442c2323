"""Intervals for a proportion when the trials are independent of each other.

Repeats of one task are not independent of each other: for those see `wilson_cluster_interval`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from agenteval.stats.results import INDEPENDENT, Interval, Value, keep
from agenteval.stats.validation import Array, Ints, count_rows, open_unit

Limits = tuple[Array, Array]


def normal_quantile(level: float) -> float:
    """Return z such that the central `level` of the normal distribution lies within +-z."""
    return float(ndtri(0.5 + level / 2))


def wilson_limits(estimate: Array, n: Array, quantile: float) -> Limits:
    """Return Wilson limits around a proportion of n (possibly fractional) trials."""
    z2 = quantile**2
    scale = 1 + z2 / n
    centre = (estimate + z2 / (2 * n)) / scale
    spread = np.sqrt((estimate * (1 - estimate) + z2 / (4 * n)) / n)
    half = quantile / scale * spread
    low = np.where(estimate <= 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(estimate >= 1, 1.0, np.minimum(centre + half, 1.0))
    return low, high


def _wilson_continuity(k: Array, n: Array, z: float) -> Limits:
    p, z2, scale = k / n, z * z, 2 * (n + z * z)
    below = z2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1)
    above = z2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1)
    low = (2 * n * p + z2 - 1 - z * np.sqrt(np.maximum(below, 0))) / scale
    high = (2 * n * p + z2 + 1 + z * np.sqrt(np.maximum(above, 0))) / scale
    low = np.where(k == 0, 0.0, np.maximum(low, 0.0))
    return low, np.where(k == n, 1.0, np.minimum(high, 1.0))


def _beta_limits(k: Array, n: Array, level: float, added: tuple[float, float]) -> Limits:
    """Return quantiles of Beta(k + first, n - k + second) and Beta(k + second, n - k + first)."""
    tail, (first, second) = (1 - level) / 2, added
    with np.errstate(invalid="ignore"):
        low = betaincinv(k + first, n - k + second, tail)
        high = betaincinv(k + second, n - k + first, 1 - tail)
    return low, high


def clopper_pearson_limits(k: Array, n: Array, level: float) -> Limits:
    """Return Clopper-Pearson limits for (possibly fractional) counts, exact 0 and 1 at the ends."""
    low, high = _beta_limits(k, n, level, (0.0, 1.0))
    return np.where(k <= 0, 0.0, low), np.where(k >= n, 1.0, high)


def _elementwise(
    passed: ArrayLike,
    n: ArrayLike,
    level: float,
    method: str,
    limits: Callable[[Array, Array], Limits],
) -> Interval:
    """Compute limits row by row; rows without trials get NaN and [0, 1]."""
    level = open_unit(level, "level")
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


def _once(limits: Callable[[Array, Array], Limits]) -> Callable[[Array, Array], Limits]:
    """Compute limits that need Beta quantiles once for each distinct (k, n)."""

    def apply(k: Array, n: Array) -> Limits:
        if k.size < 2:
            return limits(k, n)
        pairs, row = _distinct(k.ravel(), n.ravel())
        low, high = limits(*pairs)
        return low[row].reshape(k.shape), high[row].reshape(k.shape)

    return apply


def _distinct(k: Array, n: Array) -> tuple[tuple[Array, Array], Ints]:
    """Return the distinct (k, n) rows and, for every row, which of them it is."""
    whole = bool((k == np.floor(k)).all() and (n == np.floor(n)).all())
    base = n.max() + 1
    if whole and base < 2**26:
        key = k.astype(np.int64) * int(base) + n.astype(np.int64)
        codes, row = _distinct_codes(key, size=int(base) ** 2)
        return ((codes // int(base)).astype(float), (codes % int(base)).astype(float)), row
    rows, place = np.unique(np.stack([k, n]), axis=1, return_inverse=True)
    return (rows[0], rows[1]), place.ravel()


def _distinct_codes(key: Ints, *, size: int) -> tuple[Ints, Ints]:
    """Sort-free `np.unique` for small integer codes: ten times faster on a million rows."""
    if size > 4 * key.size + 1024:
        codes, row = np.unique(key, return_inverse=True)
        return codes, row
    seen = np.zeros(size, dtype=bool)
    seen[key] = True
    codes = np.flatnonzero(seen)
    position = np.zeros(size, dtype=np.int32)
    position[codes] = np.arange(len(codes), dtype=np.int32)
    return codes, position[key]


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
    z = normal_quantile(open_unit(level, "level"))
    if continuity:
        return _elementwise(passed, n, level, "wilson_cc", lambda k, m: _wilson_continuity(k, m, z))
    return _elementwise(passed, n, level, "wilson", lambda k, m: wilson_limits(k / m, m, z))


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

    def limits(k: Array, m: Array) -> Limits:
        return clopper_pearson_limits(k, m, level)

    return _elementwise(passed, n, level, "clopper_pearson", _once(limits))


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

    def limits(k: Array, m: Array) -> Limits:
        low, high = _beta_limits(k, m, level, (0.5, 0.5))
        if not modified:
            return low, high
        return np.where(k == 0, 0.0, low), np.where(k == m, 1.0, high)

    name = "jeffreys" if modified else "jeffreys_unmodified"
    return _elementwise(passed, n, level, name, _once(limits))


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
    z = normal_quantile(open_unit(level, "level"))

    def limits(k: Array, m: Array) -> Limits:
        total = m + z * z
        centre = (k + z * z / 2) / total
        half = z * np.sqrt(centre * (1 - centre) / total)
        return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)

    return _elementwise(passed, n, level, "agresti_coull", limits)
