"""Pairwise judging in both orders: how far a judge prefers what it reads first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.cluster_intervals import wilson_cluster_interval
from agenteval.stats.paired_tables import mcnemar_test
from agenteval.stats.results import HypothesisTest, Interval
from agenteval.stats.validation import Array, real_array


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionBias:
    """What a judge did when the same two answers were shown in both orders.

    Parameters
    ----------
    preference
        B's result for each task and repeat: 1 win, 0 loss, 0.5 where the orders contradict or tie.
    flip_rate
        Share of pairs whose verdict changed with the order, tasks as the independent unit.
    first_rate
        Share of verdicts for the answer shown first; 0.5 is no bias. Tasks as the unit.
    test
        McNemar's test of whether flips favour the first or the second position, over all pairs.
    """

    preference: Array
    flip_rate: Interval
    first_rate: Interval
    test: HypothesisTest

    def __str__(self) -> str:
        """Print in one line."""
        return (
            f"{self.flip_rate.estimate:.4g} of verdicts flip with the order, "
            f"{self.first_rate.estimate:.4g} go to the first position (p = {self.test.pvalue:.3g})"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def position_bias(b_second: ArrayLike, b_first: ArrayLike, *, level: float = 0.95) -> PositionBias:
    """Measure a pairwise judge's position bias, and give each pair a verdict free of it.

    Every pair is judged in both orders: a verdict that holds in both counts as a win, one that
    flips as a tie. The task is the independent unit of the two rates.

    Parameters
    ----------
    b_second, b_first
        Did B win (1), lose (0) or tie (0.5) when it was shown second, and when it was shown first:
        one value a task, or tasks x repeats.
    level
        Level of the intervals.

    Returns
    -------
    PositionBias
        `.preference` for `bradley_terry`, `.flip_rate`, `.first_rate`, `.test`.

    Raises
    ------
    InvalidInput
        For other values than 0, 0.5 and 1, or shapes that differ.
    NotEnoughData
        For no task.

    References
    ----------
    Zheng et al. (2023), doi:10.48550/arXiv.2306.05685.

    Examples
    --------
    >>> bias = position_bias([1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 1])
    >>> print(bias)
    0.5 of verdicts flip with the order, 0.75 go to the first position (p = 0.125)
    >>> bias.preference.tolist()
    [1.0, 0.5, 0.5, 1.0, 0.0, 0.5]
    """
    second, first = real_array(b_second, "b_second"), real_array(b_first, "b_first")
    both = np.isin(np.concatenate([second.ravel(), first.ravel()]), (0, 0.5, 1)).all()
    if second.shape != first.shape or second.ndim not in (1, 2) or not both:
        what = f"{second.shape} and {first.shape} verdicts are not 0, 0.5 or 1 for each pair"
        fix = "pass the same pairs in both orders"
        raise InvalidInput(what, "arguments b_second, b_first", fix)
    rows = second.reshape(len(second), -1), first.reshape(len(first), -1)
    flips = (rows[0] != rows[1]).astype(float)
    to_first = (1 - rows[0] + rows[1]) / 2
    return PositionBias(
        preference=np.where(second == first, second, 0.5),
        flip_rate=wilson_cluster_interval(values=flips.mean(axis=1), level=level),
        first_rate=wilson_cluster_interval(values=to_first.mean(axis=1), level=level),
        test=mcnemar_test(int((rows[1] > rows[0]).sum()), int((rows[1] < rows[0]).sum())),
    )
