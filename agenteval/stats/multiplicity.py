"""P-values of a family of tests, adjusted so that the family's error holds."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.validation import Array, choice, real_array

Adjustment = Literal["bh", "by", "bonferroni", "hochberg", "holm"]


def adjust_p_values(p: ArrayLike, *, method: Adjustment = "bh") -> Array:
    """Adjust the p-values of one family of tests.

    `bh` bounds the share of false discoveries, for many tasks or many arms; `holm` the chance of
    any false claim, for a few arms against one baseline. The unit is the test: say how large the
    family is. Written here because statsmodels counts NaN as a member of the family, where R leaves
    it out, and its Holm takes a tenth of a second.

    Parameters
    ----------
    p
        P-values in [0, 1] of any shape; NaN (a test that could not be made) stays NaN and is not
        counted.
    method
        `bh` and `hochberg` need independent or positively dependent tests; `by`, `holm` and
        `bonferroni` hold under any dependence.

    Returns
    -------
    ndarray
        Adjusted p-values in the shape given: reject where they are at most alpha (or q).

    Raises
    ------
    InvalidInput
        For values outside [0, 1] or an unknown method.

    References
    ----------
    Benjamini & Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x. Benjamini & Yekutieli
    (2001), doi:10.1214/aos/1013699998. Holm (1979), Scandinavian Journal of Statistics 6, 65.
    Hochberg (1988), doi:10.1093/biomet/75.4.800.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, float("nan"), 0.03]).round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    choice(method, "method", ("bh", "by", "bonferroni", "hochberg", "holm"))
    values = real_array(p, "p", finite=False)
    known = ~np.isnan(values)
    family = values[known]
    if (family < 0).any() or (family > 1).any():
        raise InvalidInput("a p-value is outside [0, 1]", "argument p", "pass p-values")
    adjusted = values.copy()
    adjusted[known] = _adjust(family, method)
    return adjusted


def _adjust(p: Array, method: Adjustment) -> Array:
    size = len(p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, size + 1)
    factor = {
        "bh": size / rank,
        "by": size / rank * np.sum(1 / rank),
        "bonferroni": np.full(size, float(size)),
        "hochberg": size + 1.0 - rank,
        "holm": size + 1.0 - rank,
    }[method]
    scaled = p[order] * factor
    if method == "holm":
        scaled = np.maximum.accumulate(scaled)
    elif method != "bonferroni":
        scaled = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(size)
    adjusted[order] = np.minimum(scaled, 1.0)
    return adjusted
