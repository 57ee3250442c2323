"""Difference of two pass rates measured on different, independent trials."""

from __future__ import annotations

from math import acos, copysign, cos, hypot, pi, sqrt

from scipy.special import ndtr

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.proportions import wilson_interval
from agenteval.stats.results import INDEPENDENT, Difference, Interval, keep
from agenteval.stats.score_limits import invert_score, score_of
from agenteval.stats.validation import open_unit, real_number

Counts = tuple[float, float, float, float]


def _counts(passed_a: float, n_a: float, passed_b: float, n_b: float) -> Counts:
    x_a, x_b = real_number(passed_a, "passed_a", low=0), real_number(passed_b, "passed_b", low=0)
    m_a, m_b = real_number(n_a, "n_a", low=0), real_number(n_b, "n_b", low=0)
    if x_a > m_a or x_b > m_b:
        what = f"passed is greater than n ({x_a:g} of {m_a:g}, {x_b:g} of {m_b:g})"
        raise InvalidInput(what, "arguments passed_a, n_a, passed_b, n_b", "pass passes, trials")
    if m_a == 0 or m_b == 0:
        raise NotEnoughData("an arm has no trial", "arguments n_a, n_b", "run both arms")
    return x_a, m_a, x_b, m_b


def _pooled_pvalue(counts: Counts) -> float:
    """Return the two-sided p-value of the score test of equal rates ("N-1" chi-squared)."""
    x_a, m_a, x_b, m_b = counts
    pooled = (x_a + x_b) / (m_a + m_b)
    variance = pooled * (1 - pooled) * (1 / m_a + 1 / m_b) * _small_sample(counts)
    if variance <= 0:
        return 1.0
    return float(2 * ndtr(-abs(x_b / m_b - x_a / m_a) / sqrt(variance)))


def _small_sample(counts: Counts) -> float:
    total = counts[1] + counts[3]
    return total / (total - 1) if total > 1 else 1.0


def _difference(
    counts: Counts,
    limits: tuple[float, float],
    method: str,
    level: float,
    arms: tuple[Interval, Interval] | None = None,
) -> Difference:
    x_a, m_a, x_b, m_b = counts
    return Difference(
        estimate=x_b / m_b - x_a / m_a,
        low=limits[0],
        high=limits[1],
        level=level,
        method=method,
        estimand=f"B - A, {INDEPENDENT}",
        n_trials=m_a + m_b,
        pvalue=_pooled_pvalue(counts),
        test="score test",
        arm_a=arms[0] if arms else None,
        arm_b=arms[1] if arms else None,
        inputs=keep(passed_a=x_a, n_a=m_a, passed_b=x_b, n_b=m_b),
    )


def newcombe_difference(
    passed_a: float, n_a: float, passed_b: float, n_b: float, *, level: float = 0.95
) -> Difference:
    """Difference B - A of two pass rates from independent trials, Newcombe's hybrid score interval.

    For arms that ran different tasks once each. Same tasks are paired: use
    `newcombe_cluster_difference`, which is far narrower. The unit is the trial, so it is wrong for
    repeats (too narrow between arms, since trials of a task share its difficulty).

    Parameters
    ----------
    passed_a, n_a, passed_b, n_b
        Passes and trials of each arm; fractions are allowed (effective trials).
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` in [-1, 1]; the p-value is that of the score test of equal rates, since there is
        no pairing whose signs could be flipped.

    Raises
    ------
    InvalidInput
        For impossible counts, NaN, a level outside (0, 1).
    NotEnoughData
        For an arm without trials.

    References
    ----------
    Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    Examples
    --------
    >>> print(newcombe_difference(48, 80, 56, 70))
    0.2 [0.05243, 0.3339] at 95 %, newcombe, 150 trials, p = 0.00826 (score test)
    """
    level = open_unit(level, "level")
    counts = x_a, m_a, x_b, m_b = _counts(passed_a, n_a, passed_b, n_b)
    a, b = wilson_interval(x_a, m_a, level=level), wilson_interval(x_b, m_b, level=level)
    d = b.estimate - a.estimate
    low = d - hypot(b.estimate - b.low, a.high - a.estimate)
    high = d + hypot(b.high - b.estimate, a.estimate - a.low)
    return _difference(counts, (low, high), "newcombe", level, (a, b))


def miettinen_nurminen_difference(
    passed_a: float,
    n_a: float,
    passed_b: float,
    n_b: float,
    *,
    level: float = 0.95,
) -> Difference:
    """Difference B - A of two pass rates from independent trials, by inverting the score test.

    With the factor n/(n-1) in the variance, as in the paper and in R's PropCIs. Agrees with its own
    p-value, unlike Newcombe's. The unit is the trial: wrong for repeats of a task. Written here
    because statsmodels 0.15 finds no limits for tables such as 9/10 against 3/10.

    Parameters
    ----------
    passed_a, n_a, passed_b, n_b
        Passes and trials of each arm.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        `.estimate` in [-1, 1] and the p-value of the score test of equal rates.

    Raises
    ------
    InvalidInput
        For impossible counts, NaN, a level outside (0, 1).
    NotEnoughData
        For an arm without trials.

    References
    ----------
    Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211.

    Examples
    --------
    >>> print(miettinen_nurminen_difference(48, 80, 56, 70))
    0.2 [0.05283, 0.3382] at 95 %, miettinen_nurminen, 150 trials, p = 0.00826 (score test)
    """
    level = open_unit(level, "level")
    counts = x_a, m_a, x_b, m_b = _counts(passed_a, n_a, passed_b, n_b)
    d = x_b / m_b - x_a / m_a
    factor = _small_sample(counts)

    def score(delta: float) -> float:
        return score_of(d - delta, factor * _constrained_variance(counts, delta))

    limits = invert_score(score, d, normal_quantile(level))
    return _difference(counts, limits, "miettinen_nurminen", level)


def _constrained_variance(counts: Counts, delta: float) -> float:
    """Return the variance of p_B - p_A at the likeliest rates that differ by delta."""
    x_a, m_a, x_b, m_b = counts
    total, passed = m_a + m_b, x_a + x_b
    second = (m_b + 2 * m_a) * delta - total - passed
    first = (m_a * delta - total - 2 * x_a) * delta + passed
    constant = x_a * delta * (1 - delta)
    third = second / (3 * total)
    q = third**3 - first * second / (6 * total**2) + constant / (2 * total)
    p = copysign(sqrt(max(third**2 - first / (3 * total), 0.0)), q)
    angle = (pi + acos(min(1.0, max(-1.0, q / p**3 if p else 0.0)))) / 3
    rate_a = min(1.0, max(0.0, 2 * p * cos(angle) - third))
    rate_b = min(1.0, max(0.0, rate_a + delta))
    return rate_b * (1 - rate_b) / m_b + rate_a * (1 - rate_a) / m_a
