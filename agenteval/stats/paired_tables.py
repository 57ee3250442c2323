"""Paired pass rates without repeats: a 2 x 2 table of what two arms did on the same tasks."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Literal

import numpy as np
from scipy.special import bdtr, chdtrc, gammaln

from agenteval.errors import NotEnoughData
from agenteval.stats.paired_rates import newcombe_limits
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.proportions import wilson_interval
from agenteval.stats.results import OVER_TASKS, Difference, HypothesisTest, Interval, keep
from agenteval.stats.score_limits import invert_score, score_of
from agenteval.stats.validation import choice, open_unit, whole_number

Cells = tuple[int, int, int, int]


def _half_binomial(successes: int, trials: int) -> tuple[float, float]:
    """Return P(X <= successes) and P(X = successes) for X ~ Binomial(trials, 1/2)."""
    log_ways = gammaln(trials + 1) - gammaln(successes + 1) - gammaln(trials - successes + 1)
    return float(bdtr(successes, trials, 0.5)), float(np.exp(log_ways - trials * np.log(2)))


def mcnemar_test(
    b: int,
    c: int,
    *,
    method: Literal["midp", "exact", "asymptotic"] = "midp",
    continuity: bool = False,
) -> HypothesisTest:
    """Test whether two arms that ran the same tasks once pass equally often.

    Only the tasks on which they disagree count. Mid-p is the default: as powerful as the asymptotic
    test and within its level in practice, where the exact test is conservative. The task is the
    independent unit; with repeats use `sign_flip_test` on differences of rates.

    Parameters
    ----------
    b, c
        Tasks that only the first arm, and only the second arm, passed.
    method
        `midp`, `exact` (binomial) or `asymptotic` (chi-squared).
    continuity
        Apply the continuity correction (asymptotic only).

    Returns
    -------
    HypothesisTest
        Two-sided. `.statistic` is min(b, c), or chi-squared for `asymptotic`. No disagreement
        gives p = 1.

    Raises
    ------
    InvalidInput
        For negative or fractional counts or an unknown method.

    References
    ----------
    Fagerland, Lydersen & Laake (2013), doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> print(mcnemar_test(6, 16))
    p = 0.03469, mid-p = 0.03469, statistic = 6, mcnemar_midp, two-sided
    """
    choice(method, "method", ("midp", "exact", "asymptotic"))
    choice(continuity, "continuity", (True, False))
    b, c = whole_number(b, "b", low=0), whole_number(c, "c", low=0)
    below, equal = _half_binomial(min(b, c), b + c)
    exact = min(1.0, 2 * below)
    midp = exact - equal if b + c else 1.0
    p, statistic = midp if method == "midp" else exact, float(min(b, c))
    if method == "asymptotic":
        gap = max(abs(b - c) - continuity, 0)
        statistic = gap**2 / (b + c) if b + c else 0.0
        p = float(chdtrc(1, statistic))
    return HypothesisTest(
        pvalue=p,
        statistic=statistic,
        method=f"mcnemar_{method}",
        midp=midp,
        null="each disagreement is as likely to favour either arm",
        inputs=keep(b=b, c=c),
    )


def _cells(a: int, b: int, c: int, d: int) -> Cells:
    cells = [whole_number(x, name, low=0) for x, name in zip((a, b, c, d), "abcd", strict=True)]
    if not sum(cells):
        raise NotEnoughData("the table is empty", "arguments a, b, c, d", "pass at least one task")
    return cells[0], cells[1], cells[2], cells[3]


Limits = tuple[float, float]
Rule = Callable[[Cells, float], Limits | tuple[Limits, Interval, Interval]]
"""What makes a method: limits of (b - c) / n from cells and level, maybe with the arms' own."""


def _difference(counts: Cells, level: float, method: str, rule: Rule) -> Difference:
    level = open_unit(level, "level")
    cells = _cells(*counts)
    a, b, c, d = cells
    found = rule(cells, level)
    limits, *arms = found if len(found) == 3 else (found,)
    n, (below, equal) = sum(cells), _half_binomial(min(b, c), b + c)
    midp = 2 * below - equal if b != c else 1 - equal / 2
    return Difference(
        estimate=(b - c) / n,
        low=limits[0],
        high=limits[1],
        level=level,
        method=method,
        estimand=f"B - A, {OVER_TASKS}",
        n_tasks=n,
        n_trials=2 * n,
        pvalue=midp if b + c else 1.0,
        test="sign-flip mid-p",
        arm_a=arms[0] if arms else None,
        arm_b=arms[1] if arms else None,
        inputs=keep(a=a, b=b, c=c, d=d),
    )


def tango_interval(a: int, b: int, c: int, d: int, *, level: float = 0.95) -> Difference:
    """Difference of two pass rates over the same tasks run once, Tango's score interval.

    Inverts the score test, so it agrees with McNemar's asymptotic test; good coverage from about 20
    tasks. Coverage and width are close to Newcombe's. The task is the independent unit.

    Parameters
    ----------
    a, b, c, d
        Tasks that both arms passed, only the first (B), only the second (A), neither.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` = (b - c) / n, first minus second; the p-value is the sign-flip mid-p.

    Raises
    ------
    InvalidInput
        For negative or fractional counts, or a level outside (0, 1).
    NotEnoughData
        For an empty table.

    References
    ----------
    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    Examples
    --------
    >>> print(tango_interval(1, 1, 7, 12))
    -0.2857 [-0.5172, -0.026] at 95 %, tango, 21 tasks, 42 trials, p = 0.0391 (sign-flip mid-p)
    """
    return _difference((a, b, c, d), level, "tango", _tango_limits)


def _tango_limits(cells: Cells, level: float) -> Limits:
    n, first, second = sum(cells), cells[1], cells[2]

    def score(delta: float) -> float:
        linear = -first - second + (2 * n - first + second) * delta
        constant = -second * delta * (1 - delta)
        q = (sqrt(max(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
        variance = n * (2 * q + delta * (1 - delta))
        gap = first - second - n * delta
        return score_of(gap, variance)

    return invert_score(score, (first - second) / n, normal_quantile(level))


def newcombe_paired_interval(a: int, b: int, c: int, d: int, *, level: float = 0.95) -> Difference:
    """Difference of two pass rates over the same tasks run once, Newcombe's method 10.

    What `newcombe_cluster_difference` becomes without repeats. The task is the independent unit.

    Parameters
    ----------
    a, b, c, d
        Tasks that both arms passed, only the first (B), only the second (A), neither.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` = (b - c) / n, first minus second; the p-value is the sign-flip mid-p.

    Raises
    ------
    InvalidInput
        For negative or fractional counts, or a level outside (0, 1).
    NotEnoughData
        For an empty table.

    References
    ----------
    Newcombe (1998), doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.

    Examples
    --------
    >>> result = newcombe_paired_interval(59, 6, 16, 80)
    >>> round(result.low, 4), round(result.high, 4)
    (-0.1186, -0.0046)
    """
    return _difference((a, b, c, d), level, "newcombe_paired", _newcombe_limits)


def _newcombe_limits(cells: Cells, level: float) -> tuple[Limits, Interval, Interval]:
    both, first, second, neither = cells
    n = sum(cells)
    arm_b = wilson_interval(both + first, n, level=level)
    arm_a = wilson_interval(both + second, n, level=level)
    margins = [both + first, second + neither, both + second, first + neither]
    cross = float(both * neither - first * second)
    if cross > 0:
        cross = max(cross - n / 2, 0.0)
    r = cross / sqrt(float(np.prod(margins, dtype=float))) if all(margins) else 0.0
    return newcombe_limits(arm_a, arm_b, r), arm_a, arm_b


def bonett_price_interval(a: int, b: int, c: int, d: int, *, level: float = 0.95) -> Difference:
    """Difference of two pass rates over the same tasks run once, the adjusted Wald interval.

    One success is added to each kind of disagreement; simple enough to check by hand. The task is
    the independent unit.

    Parameters
    ----------
    a, b, c, d
        Tasks that both arms passed, only the first (B), only the second (A), neither.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` = (b - c) / n, first minus second; limits clipped to [-1, 1]; the p-value is the
        sign-flip mid-p.

    Raises
    ------
    InvalidInput
        For negative or fractional counts, or a level outside (0, 1).
    NotEnoughData
        For an empty table.

    References
    ----------
    Bonett & Price (2012), doi:10.3102/1076998611411915.

    Examples
    --------
    >>> result = bonett_price_interval(59, 6, 16, 80)
    >>> round(result.low, 4), round(result.high, 4)
    (-0.1195, -0.0032)
    """
    return _difference((a, b, c, d), level, "bonett_price", _bonett_price_limits)


def _bonett_price_limits(cells: Cells, level: float) -> Limits:
    n = sum(cells)
    first, second = (cells[1] + 1) / (n + 2), (cells[2] + 1) / (n + 2)
    centre = first - second
    half = normal_quantile(level) * sqrt((first + second - centre**2) / (n + 2))
    return max(centre - half, -1.0), min(centre + half, 1.0)
