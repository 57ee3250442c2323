"""Item analysis: how well each task of a suite separates those who took it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.validation import Array, real_array

FEWEST = 3
_ALIKE = 1e-12


def item_discrimination(rates: ArrayLike) -> Array:
    """Corrected item-total correlation of each task: whether arms that do well elsewhere do well here.

    For each task, Pearson's correlation over arms between their rate on it and their mean rate on
    the other tasks (the task itself left out, since it would correlate with itself). The arm is
    the independent unit, so with a handful of arms the number is rough: its sign is worth a look,
    its size is not. Near 1 separates arms as the rest of the suite does, near 0 tells nothing of
    what the suite measures, and below 0 better arms fail it, which is how broken tasks look.

    Parameters
    ----------
    rates
        Tasks x arms, each from 0 to 1; NaN where an arm did not take a task.

    Returns
    -------
    array
        One number a task, from -1 to 1; NaN with fewer than three arms that took it and others,
        and where arms do not differ on it or on the rest.

    Raises
    ------
    InvalidInput
        For no table, or a rate outside of [0, 1].

    References
    ----------
    .. [1] Henrysson, S. (1963). Correction of item-total correlations in item analysis.
           Psychometrika 28(2), 211-218. doi:10.1007/BF02289618

    Examples
    --------
    >>> item_discrimination([[0, 0.5, 1], [0.2, 0.4, 1], [0.5, 0.9, 0.8]]).round(2)
    array([1.  , 0.88, 0.63])
    """
    table = real_array(rates, "rates", finite=False)
    if table.ndim != 2:
        raise InvalidInput(
            f"Rates have {table.ndim} dimensions", "rates", "give one row a task, one column an arm"
        )
    known = ~np.isnan(table)
    if np.any((table[known] < 0) | (table[known] > 1)):
        raise InvalidInput("A rate is outside of [0, 1]", "rates", "give shares from 0 to 1")
    filled = np.where(known, table, 0.0)
    total, taken = filled.sum(axis=0), known.sum(axis=0)
    found = np.full(len(table), np.nan)
    for task in range(len(table)):
        others = taken - known[task]
        arms = known[task] & (others > 0)
        if arms.sum() < FEWEST:
            continue
        own = table[task, arms]
        rest = (total[arms] - own) / others[arms]
        own, rest = own - own.mean(), rest - rest.mean()
        size = np.sqrt((own**2).sum() * (rest**2).sum())
        if size > _ALIKE:
            found[task] = (own * rest).sum() / size
    return found
