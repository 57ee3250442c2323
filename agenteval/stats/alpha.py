"""Krippendorff's alpha: agreement of any number of raters, on any scale, with gaps."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.agreement import Agreement, rating_counts
from agenteval.stats.resampling import draw_counts
from agenteval.stats.results import keep
from agenteval.stats.validation import Array, choice, open_unit, whole_number

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    measurement: Measurement = "nominal",
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> Agreement:
    """Measure how far raters agree beyond chance: 1 - observed / expected disagreement.

    One measure for any number of raters, for gaps, and for every scale of measurement. Like kappa
    it falls when one category is rare. The unit is the rated item, and the interval is a percentile
    bootstrap over units. Written here because no dependency has it.

    Parameters
    ----------
    ratings
        Units x raters as numbers, NaN where a rater gave none.
    measurement
        `nominal`, `ordinal`, `interval` or `ratio` (no negative ratings).
    level
        Level of the interval.
    resamples, seed
        Resamples of units and their seed.

    Returns
    -------
    Agreement
        `.estimate` at most 1. Without any variation alpha is undefined: NaN, marked degenerate;
        resamples without variation are left out of the interval.

    Raises
    ------
    InvalidInput
        For ratings that are not a table of numbers, negative ones on a ratio scale, an unknown
        measurement.
    NotEnoughData
        When no unit was rated twice.

    References
    ----------
    Hayes & Krippendorff (2007), doi:10.1080/19312450709336664.

    Examples
    --------
    >>> ratings = [[1, 1], [2, 2], [3, 3], [3, 2], [1, 1], [2, 3], [1, 1], [3, 3]]
    >>> print(krippendorff_alpha(ratings, measurement="ordinal"))
    0.8438 [0.2708, 1] at 95 %, krippendorff_alpha_ordinal, 8 trials
    """
    choice(measurement, "measurement", ("nominal", "ordinal", "interval", "ratio"))
    level = open_unit(level, "level")
    resamples, seed = whole_number(resamples, "resamples", low=2), whole_number(seed, "seed", low=0)
    counts, categories = rating_counts(ratings)
    if measurement == "ratio" and categories.min() < 0:
        fix = "use interval for values below 0"
        raise InvalidInput("a ratio scale has no negative value", "argument ratings", fix)
    counts = counts[counts.sum(axis=1) > 1]
    units, q = counts.shape
    weight = 1 / (counts.sum(axis=1) - 1)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(q), np.arange(q)] -= counts
    coincidences = (pairs * weight[:, None, None]).reshape(units, q * q)
    estimate = float(_alphas(coincidences.sum(axis=0)[None], categories, measurement)[0])
    drawn = np.concatenate([w @ coincidences for w in draw_counts(units, resamples, seed)])
    cloud = _alphas(drawn, categories, measurement)
    cloud = cloud[~np.isnan(cloud)]
    flat = estimate != estimate or units < 2
    low, high = (np.nan, np.nan) if flat else np.quantile(cloud, [(1 - level) / 2, (1 + level) / 2])
    return Agreement(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method=f"krippendorff_alpha_{measurement}",
        estimand="agreement beyond chance, all raters",
        n_trials=float(units),
        degenerate=flat,
        standard_error=float("nan") if flat else float(cloud.std(ddof=1)),
        inputs=keep(counts=counts, categories=categories),
    )


def _alphas(coincidences: Array, categories: Array, measurement: Measurement) -> Array:
    """Return alpha for each row of flattened coincidence tables, NaN where nothing varies."""
    q = len(categories)
    table = coincidences.reshape(-1, q, q)
    totals = table.sum(axis=2)
    n = totals.sum(axis=1)
    apart = _distance(totals, categories, measurement)
    observed = (table * apart).sum(axis=(1, 2))
    expected = (totals[:, :, None] * totals[:, None, :] * apart).sum(axis=(1, 2)) / (n - 1)
    alphas = np.full(len(table), np.nan)
    np.divide(observed, expected, out=alphas, where=expected > 0)
    return np.asarray(1 - alphas)


def _distance(totals: Array, categories: Array, measurement: Measurement) -> Array:
    """Return squared distances of categories; on an ordinal scale they depend on the totals."""
    first, second = categories[:, None], categories[None, :]
    if measurement == "nominal":
        return np.asarray((first != second).astype(float)[None])
    if measurement == "interval":
        return np.asarray(((first - second) ** 2)[None])
    if measurement == "ratio":
        total = np.where(first + second == 0, 1.0, first + second)
        return np.asarray((((first - second) / total) ** 2)[None])
    middle = np.cumsum(totals, axis=1) - totals / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)
