"""Agreement of a judge with people on yes or no, with an interval over tasks."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.agreement import Agreement
from agenteval.stats.resampling import canonical_rows, draw_counts
from agenteval.stats.results import keep
from agenteval.stats.validation import Array, choice, open_unit, real_array, whole_number

Measure = Literal["kappa", "ac1", "alpha"]


def cell_agreement(
    cells: ArrayLike,
    *,
    measure: Measure = "kappa",
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> Agreement:
    """Measure how far two raters agree beyond chance on yes or no, tasks as the independent unit.

    The estimates are those of `cohen_kappa`, `gwet_ac1` and `krippendorff_alpha`; their own intervals
    take every rating for independent, which repeats of a task are not. Here whole tasks are
    resampled.

    Parameters
    ----------
    cells
        Tasks x 4 counts: both yes, only the first yes, only the second yes, both no.
    measure
        `kappa`, `ac1` or `alpha` (nominal).
    level
        Level of the percentile interval.
    resamples, seed
        Resamples of tasks and their seed.

    Returns
    -------
    Agreement
        Without any variation kappa and alpha are undefined: NaN, marked degenerate; resamples
        without are left out of the interval. One task gives NaN limits.

    Raises
    ------
    InvalidInput
        For other than four columns of counts, or an unknown measure.
    NotEnoughData
        When nothing was rated.

    References
    ----------
    Cohen (1960), doi:10.1177/001316446002000104. Gwet (2008), doi:10.1348/000711006X126600.

    Examples
    --------
    >>> print(cell_agreement([[20, 5, 10, 15]] * 2).estimate.__round__(3))
    0.4
    """
    choice(measure, "measure", ("kappa", "ac1", "alpha"))
    level = open_unit(level, "level")
    resamples, seed = whole_number(resamples, "resamples", low=2), whole_number(seed, "seed", low=0)
    table = real_array(cells, "cells")
    if table.ndim != 2 or table.shape[1] != 4 or (table < 0).any():
        fix = "pass counts: both yes, only the first, only the second, both no"
        raise InvalidInput(f"cells of shape {table.shape} are not tasks x 4", "argument cells", fix)
    table = canonical_rows(table[table.sum(axis=1) > 0])
    if not len(table):
        raise NotEnoughData("nothing was rated", "argument cells", "label at least one trial")
    whole = table.sum(axis=0)
    estimate = float(_measure(whole[None], measure)[0])
    cloud = np.concatenate(
        [_measure(weights @ table, measure) for weights in draw_counts(len(table), resamples, seed)]
    )
    cloud = cloud[~np.isnan(cloud)]
    flat = estimate != estimate or len(table) < 2 or not len(cloud)
    low, high = (np.nan, np.nan) if flat else np.quantile(cloud, [(1 - level) / 2, (1 + level) / 2])
    return Agreement(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method=f"cell_{measure}",
        estimand="agreement beyond chance, two raters",
        n_tasks=len(table),
        n_trials=float(whole.sum()),
        degenerate=flat,
        agreement=float((whole[0] + whole[3]) / whole.sum()),
        standard_error=float("nan") if flat else float(cloud.std(ddof=1)),
        inputs=keep(cells=table),
    )


def _measure(cells: Array, measure: Measure) -> Array:
    """Value for each row of cells, NaN where it is undefined."""
    n = cells.sum(axis=1)
    observed = (cells[:, 0] + cells[:, 3]) / n
    first, second = (cells[:, 0] + cells[:, 1]) / n, (cells[:, 0] + cells[:, 2]) / n
    usual = (first + second) / 2
    if measure == "kappa":
        chance = first * second + (1 - first) * (1 - second)
    elif measure == "ac1":
        chance = 2 * usual * (1 - usual)
    else:
        # of all pairs of ratings, without replacement
        chance = 1 - 2 * usual * (1 - usual) * (2 * n) / (2 * n - 1)
    value = np.full(len(cells), np.nan)
    defined = chance < 1 - 1e-12
    np.divide(observed - chance, 1 - chance, out=value, where=defined)
    return value
