"""Several judges on the same items: one verdict, and how far it hangs on any one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.validation import Array, choice, real_array

Rule = Literal["majority", "mean", "median"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """What a panel of judges says.

    Parameters
    ----------
    values
        The panel's value of each item, NaN where no judge gave one.
    mean
        Mean over items.
    without
        The mean over the same items when one judge is left out, one entry a judge.
    correlation
        Judges x judges correlation of their scores over the items both rated, NaN without spread.
    """

    values: Array
    mean: float
    without: Array
    correlation: Array

    @property
    def sensitivity(self) -> float:
        """Largest change of the mean when one judge is left out."""
        return float(np.nanmax(np.abs(self.without - self.mean)))

    def __str__(self) -> str:
        """Print in one line."""
        items, judges = int((~np.isnan(self.values)).sum()), len(self.without)
        return (
            f"mean {self.mean:.4g} of {items} items by {judges} judges, "
            f"leaving one out moves it by up to {self.sensitivity:.4g}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def panel_verdict(scores: ArrayLike, *, rule: Rule = "mean") -> Panel:
    """Combine several judges' scores of each item, and show what each judge contributes.

    Judges err together, so three agreeing judges are not three independent witnesses: read the
    correlations before trusting a unanimous panel. The unit is the item; for an interval hand
    `.values`, averaged by task, to `wilson_cluster_interval(values=...)`.

    Parameters
    ----------
    scores
        Items x judges, at least two judges, NaN where a judge gave none; 0 or 1 for `majority`.
    rule
        `mean`, `median`, or `majority` (a tie is no majority; use an odd number of judges).

    Returns
    -------
    Panel
        `.values` by item, `.mean`, `.without` by judge, `.correlation`.

    Raises
    ------
    InvalidInput
        For scores that are not a table of two or more judges, infinite ones, other values than 0
        and 1 under `majority`, an unknown rule.
    NotEnoughData
        When no item has a score.

    References
    ----------
    Verga et al. (2024), doi:10.48550/arXiv.2404.18796.

    Examples
    --------
    >>> print(panel_verdict([[1, 1, 0], [0, 0, 0], [1, 0, 0]], rule="majority"))
    mean 0.3333 of 3 items by 3 judges, leaving one out moves it by up to 0.3333
    """
    choice(rule, "rule", ("majority", "mean", "median"))
    table = real_array(scores, "scores", finite=False)
    if table.ndim != 2 or table.shape[1] < 2 or np.isinf(table).any():
        what = f"scores of shape {table.shape} are not items x judges"
        raise InvalidInput(what, "argument scores", "pass one column a judge, NaN where missing")
    known = ~np.isnan(table)
    if rule == "majority" and not np.isin(table[known], (0, 1)).all():
        what = "a majority of scores that are not 0 or 1"
        raise InvalidInput(what, "argument scores", "use mean or median for scores")
    if not known.any():
        raise NotEnoughData("no item has a score", "argument scores", "score at least one item")
    judges = table.shape[1]
    values = _combine(table, rule)
    without = [_mean(_combine(np.delete(table, j, axis=1), rule)) for j in range(judges)]
    correlation = [
        [_correlation(table[:, i], table[:, j]) for j in range(judges)] for i in range(judges)
    ]
    return Panel(
        values=values,
        mean=_mean(values),
        without=np.array(without),
        correlation=np.array(correlation),
    )


def _combine(table: Array, rule: Rule) -> Array:
    values = np.full(len(table), np.nan)
    some = ~np.isnan(table).all(axis=1)
    if rule == "median":
        values[some] = np.nanmedian(table[some], axis=1)
        return values
    values[some] = np.nanmean(table[some], axis=1)
    return np.where(some, (values > 0.5).astype(float), np.nan) if rule == "majority" else values


def _mean(values: Array) -> float:
    known = np.sort(values[~np.isnan(values)])
    return float(known.mean()) if len(known) else float("nan")


def _correlation(first: Array, second: Array) -> float:
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])
