"""Signed-rank test and the Hodges-Lehmann difference: robust against a few wild tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import NotEnoughData
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.results import HypothesisTest, keep
from agenteval.stats.sign_flip import Alternative
from agenteval.stats.validation import Array, choice, open_unit, same_length, task_column

MOST_EXACT = 50
MOST_TASKS = 4_000


def wilcoxon_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", level: float = 0.95
) -> HypothesisTest:
    """Test whether B and A differ on paired tasks by ranks, with the Hodges-Lehmann difference.

    For amounts with a few wild tasks. It tests symmetry of the differences about zero and estimates
    their pseudo-median, not the mean: with skewed effects the two differ. The task is the
    independent unit. SciPy's `wilcoxon` (`zero_method="wilcox"`: ties at zero are dropped; exact up
    to 50 untied differences, else the normal approximation without continuity correction, where R
    corrects by default); SciPy has no Hodges-Lehmann interval, so that is computed here.

    Parameters
    ----------
    a, b
        One value a task and arm, tasks in the same order.
    alternative
        `two-sided`, or B `less` or `greater` than A.
    level
        Confidence level of the interval, always two-sided.

    Returns
    -------
    HypothesisTest
        `.statistic` is the rank sum of the positive differences B - A; `.estimate` the median of
        all pairwise means of differences, with the limits that invert the test (zero differences
        included). Up to 50 tasks they are exact without ties; with too few tasks for the level they
        are infinite.

    Raises
    ------
    InvalidInput
        For NaN, arms of different length, an unknown alternative.
    NotEnoughData
        When no task differs, or above 4,000 tasks (8 million pairwise means).

    References
    ----------
    Wilcoxon (1945), doi:10.2307/3001968. Hodges & Lehmann (1963), doi:10.1214/aoms/1177704172.

    Examples
    --------
    >>> darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    >>> test = wilcoxon_test([0] * 15, darwin)
    >>> print(test)
    p = 0.04126, statistic = 96, wilcoxon_exact, two-sided
    >>> test.estimate, test.low, test.high
    (25.0, 4.0, 41.5)
    """
    from scipy.stats import wilcoxon

    level = open_unit(level, "level")
    choice(alternative, "alternative", ("two-sided", "less", "greater"))
    first, second = task_column(a, "a"), task_column(b, "b")
    same_length(first, second, "a, b")
    d = np.sort(second - first)
    changed = d[d != 0]
    if not len(changed) or len(d) > MOST_TASKS:
        what = "no task differs" if not len(changed) else f"{len(d)} tasks are too many to pair up"
        raise NotEnoughData(what, "arguments a, b", "use sign_flip_test or paired_t_difference")
    untied = len(np.unique(np.abs(changed))) == len(changed)
    exact = untied and len(changed) <= MOST_EXACT
    result = wilcoxon(
        changed,
        zero_method="wilcox",
        correction=False,
        alternative=alternative,
        method="exact" if exact else "asymptotic",
    )
    ranks = len(changed) * (len(changed) + 1) / 2
    positive = _positive_rank_sum(changed)
    estimate, low, high = _hodges_lehmann(d, level)
    return HypothesisTest(
        pvalue=float(min(result.pvalue, 1.0)),
        statistic=min(positive, ranks),
        method="wilcoxon_exact" if exact else "wilcoxon_asymptotic",
        alternative=alternative,
        null="differences are symmetric about zero",
        estimate=estimate,
        low=low,
        high=high,
        level=level,
        inputs=keep(a=first, b=second, differences=d),
    )


def _positive_rank_sum(changed: Array) -> float:
    from scipy.stats import rankdata

    return float(rankdata(np.abs(changed))[changed > 0].sum())


def _hodges_lehmann(d: Array, level: float) -> tuple[float, float, float]:
    """Return the median of the pairwise means of d and the limits that invert the test."""
    rows, columns = np.triu_indices(len(d))
    means = np.sort((d[rows] + d[columns]) / 2)
    skip = _signed_rank_quantile(len(d), (1 - level) / 2)
    estimate = float(np.median(means))
    if skip < 1:
        return estimate, -np.inf, np.inf
    return estimate, float(means[skip - 1]), float(means[-skip])


def _signed_rank_quantile(tasks: int, probability: float) -> int:
    """Return the smallest v with P(V <= v) >= probability for the signed-rank statistic V.

    0 when even the smallest value is likelier than `probability`: no finite limit has the level.
    """
    if tasks > MOST_EXACT:
        spread = np.sqrt(tasks * (tasks + 1) * (2 * tasks + 1) / 24)
        centre = tasks * (tasks + 1) / 4
        return int(np.floor(centre - normal_quantile(1 - 2 * probability) * spread))
    chance = np.ones(1)
    for rank in range(1, tasks + 1):
        grown = np.zeros(len(chance) + rank)
        grown[: len(chance)] += chance / 2
        grown[rank:] += chance / 2
        chance = grown
    return int(np.searchsorted(np.cumsum(chance), probability))
