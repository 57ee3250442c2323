"""How far a judge and people, or several judges, agree beyond chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.cluster_intervals import t_quantile
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.results import Interval, keep
from agenteval.stats.validation import Array, choice, open_unit, real_array

Weights = Literal["linear", "quadratic"] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Agreement(Interval):
    """A chance-corrected agreement: 1 is perfect, 0 what chance gives, negative is worse.

    Parameters
    ----------
    agreement
        Share of agreement observed (weighted where weights are used), NaN for alpha.
    chance
        Share of agreement expected by chance, NaN for alpha.
    standard_error
        Standard error over units, NaN where the data have none.
    """

    agreement: float = float("nan")
    chance: float = float("nan")
    standard_error: float = float("nan")


def category_weights(categories: Array, weights: Weights) -> Array:
    """Return how far two categories count as agreeing: 1 if equal, less the further apart."""
    choice(weights, "weights", (None, "linear", "quadratic"))
    if weights is None or len(categories) == 1:
        return np.eye(len(categories))
    apart = np.abs(categories[:, None] - categories[None, :]) / np.ptp(categories)
    return np.asarray(1 - (apart if weights == "linear" else apart**2))


def rating_counts(ratings: ArrayLike) -> tuple[Array, Array]:
    """Return units x categories counts of the ratings, and the categories, in canonical order."""
    table = real_array(ratings, "ratings", finite=False)
    if table.ndim != 2 or np.isinf(table).any():
        what = "ratings is not a table of numbers"
        raise InvalidInput(what, "argument ratings", "pass units x raters, NaN where missing")
    categories = np.unique(table[~np.isnan(table)])
    counts = (table[:, :, None] == categories).sum(axis=1).astype(float)
    counts = counts[counts.sum(axis=1) > 0]
    if not (counts.sum(axis=1) > 1).any():
        fix = "have at least two raters judge the same units"
        raise NotEnoughData("no unit was rated twice", "argument ratings", fix)
    return counts[np.lexsort(counts.T[::-1])], categories


def cohen_kappa(table: ArrayLike, *, weights: Weights = None, level: float = 0.95) -> Agreement:
    """Measure how far two raters agree beyond chance, from their square table of counts.

    Chance is taken from each rater's own habits, so with a rare category kappa can be near 0 though
    nearly all ratings agree (118/5/2/0: kappa -.023, AC1 .941): report `gwet_ac1` beside it. The
    unit is the rated item; when items are repeats of tasks, the interval is too narrow.

    Parameters
    ----------
    table
        Square counts: first rater's category in rows, second's in columns, same order.
    weights
        None; `linear` or `quadratic` credit near misses of ordered, evenly spaced categories.
    level
        Level of the large-sample interval (Fleiss, Cohen & Everitt).

    Returns
    -------
    Agreement
        `.estimate`, `.agreement`, `.chance`, `.standard_error`; limits cut at -1 and 1. One
        category used throughout leaves kappa undefined: NaN, marked degenerate.

    Raises
    ------
    InvalidInput
        For a table that is not square, negative counts, an unknown weight.
    NotEnoughData
        For an empty table.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104. Fleiss, Cohen & Everitt (1969),
    doi:10.1037/h0028106.

    Examples
    --------
    >>> print(cohen_kappa([[20, 5], [10, 15]]))
    0.4 [0.1511, 0.6489] at 95 %, cohen_kappa, 50 trials
    """
    level = open_unit(level, "level")
    counts = real_array(table, "table")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        what = f"the table has shape {counts.shape} or a negative count"
        raise InvalidInput(what, "argument table", "pass one row and one column a category")
    n = float(counts.sum())
    if n == 0:
        raise NotEnoughData("the table is empty", "argument table", "pass at least one rated unit")
    p = counts / n
    w = category_weights(np.arange(len(p), dtype=float), weights)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, chance = float((w * p).sum()), float(rows @ w @ columns)
    if chance >= 1 - 1e-12:
        nan = float("nan")
        kappa, error = nan, nan
    else:
        kappa = (observed - chance) / (1 - chance)
        usual = (w @ columns)[:, None] + (rows @ w)[None, :]
        spread = float((p * (w - usual * (1 - kappa)) ** 2).sum())
        spread -= (kappa - chance * (1 - kappa)) ** 2
        error = sqrt(max(spread, 0.0) / n) / (1 - chance)
    half = normal_quantile(level) * error
    return Agreement(
        estimate=kappa,
        low=float(np.maximum(kappa - half, -1.0)),
        high=float(np.minimum(kappa + half, 1.0)),
        level=level,
        method="cohen_kappa" if weights is None else f"cohen_kappa_{weights}",
        estimand="agreement beyond chance, two raters",
        n_trials=n,
        degenerate=kappa != kappa,
        agreement=observed,
        chance=chance,
        standard_error=error,
        inputs=keep(table=counts),
    )


def gwet_ac1(ratings: ArrayLike, *, weights: Weights = None, level: float = 0.95) -> Agreement:
    """Measure how far raters agree beyond chance, without kappa's paradox (AC1; AC2 with weights).

    Stays near the observed agreement when one category is rare. Any number of raters, gaps allowed.
    The unit is the rated item.

    Parameters
    ----------
    ratings
        Units x raters, categories as numbers, NaN where a rater gave none.
    weights
        None; `linear` or `quadratic` credit near misses by the categories' own numbers.
    level
        Level of the interval (t with units - 1 degrees).

    Returns
    -------
    Agreement
        `.estimate`, `.agreement`, `.chance`, `.standard_error`; limits cut at -1 and 1. With one
        category in use the estimate is 1 and the limits NaN, marked degenerate.

    Raises
    ------
    InvalidInput
        For ratings that are not a table of numbers, or an unknown weight.
    NotEnoughData
        When no unit was rated twice.

    References
    ----------
    Gwet (2008), doi:10.1348/000711006X126600.

    Examples
    --------
    >>> ratings = [[1, 1]] * 118 + [[1, 0]] * 5 + [[0, 1]] * 2
    >>> print(gwet_ac1(ratings))
    0.9408 [0.8951, 0.9864] at 95 %, gwet_ac1, 125 trials
    """
    level = open_unit(level, "level")
    counts, categories = rating_counts(ratings)
    w = category_weights(categories, weights)
    n, q = counts.shape
    raters = counts.sum(axis=1)
    twice = raters > 1
    pairs = np.where(twice, raters * (raters - 1), 1.0)
    agree = np.where(twice, (counts * (counts @ w - 1)).sum(axis=1) / pairs, 0.0)
    observed = float(agree.sum() / twice.sum())
    shares = counts / raters[:, None]
    usual = shares.mean(axis=0)
    scale = w.sum() / (q * (q - 1)) if q > 1 else 0.0
    chance = float(scale * (usual * (1 - usual)).sum())
    estimate = (observed - chance) / (1 - chance)
    unit_chance = scale * (shares * (1 - usual)).sum(axis=1)
    unit = np.where(twice, n / twice.sum() * (agree - chance) / (1 - chance), 0.0)
    unit = unit - 2 * (1 - estimate) * (unit_chance - chance) / (1 - chance)
    flat = q == 1 or n < 2
    error = float("nan") if flat else sqrt(float(((unit - estimate) ** 2).sum()) / (n * (n - 1)))
    half = t_quantile(level, n - 1) * error
    return Agreement(
        estimate=estimate,
        low=float(np.maximum(estimate - half, -1.0)),
        high=float(np.minimum(estimate + half, 1.0)),
        level=level,
        method="gwet_ac1" if weights is None else f"gwet_ac2_{weights}",
        estimand="agreement beyond chance, all raters",
        n_trials=float(n),
        degenerate=flat,
        agreement=observed,
        chance=chance,
        standard_error=error,
        inputs=keep(counts=counts, categories=categories),
    )
