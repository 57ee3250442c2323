"""Strengths of arms from pairwise preferences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.resampling import draw_counts
from agenteval.stats.results import keep
from agenteval.stats.validation import Array, real_array, real_number, whole_number

ELO = 400 / log(10)
MOST_STEPS = 100
RESAMPLE_RIDGE = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class BradleyTerry:
    """Strengths on the logit scale; they sum to zero, and only their differences mean anything.

    Parameters
    ----------
    strength
        One strength an arm: P(i beats j) = 1 / (1 + exp(strength_j - strength_i)).
    covariance
        Of the strengths, from the curvature of the likelihood (comparisons independent).
    cluster_covariance
        The same from resampling tasks, None when the wins came without tasks.
    ridge
        Penalty used.
    inputs
        What went in.
    """

    strength: Array
    covariance: Array
    cluster_covariance: Array | None = None
    ridge: float = 0.0
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def standard_error(self) -> Array:
        """Standard errors of the strengths, over tasks where known."""
        return np.asarray(np.sqrt(np.diag(self._best())))

    @property
    def elo(self) -> Array:
        """Strengths in Elo points, mean 0."""
        return self.strength * ELO

    def probability(self, i: int, j: int) -> float:
        """Return the probability that arm i beats arm j."""
        return float(1 / (1 + np.exp(self.strength[j] - self.strength[i])))

    def difference_error(self, i: int, j: int) -> float:
        """Return the standard error of strength j minus strength i."""
        v = self._best()
        return float(np.sqrt(max(v[i, i] + v[j, j] - 2 * v[i, j], 0.0)))

    def _best(self) -> Array:
        return self.covariance if self.cluster_covariance is None else self.cluster_covariance

    def __str__(self) -> str:
        """Print in one line."""
        points = ", ".join(f"{e:+.0f}" for e in self.elo)
        return f"Elo {points} (mean 0, Bradley-Terry, {len(self.strength)} arms)"

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def bradley_terry(
    wins: ArrayLike, *, ridge: float = 0.0, resamples: int = 1_000, seed: int = 0
) -> BradleyTerry:
    """Rank arms by pairwise preferences: maximum likelihood on the logit scale.

    Unlike online Elo it does not depend on the order of comparisons. The strength of an arm that
    never loses is infinite: such data are refused unless `ridge` is positive. Comparisons of one
    task are not independent units: hand over wins by task, and the standard errors come from
    resampling tasks (there a ridge of at least 0.01 keeps resamples finite in which an arm never
    loses).

    Parameters
    ----------
    wins
        wins[i, j] = how often arm i beat arm j, ties as half a win for each; or by task, tasks x
        arms x arms.
    ridge
        Penalty ridge / 2 * sum(strength^2), at least 0.
    resamples, seed
        Resamples of tasks and their seed; used for wins by task.

    Returns
    -------
    BradleyTerry
        `.strength`, `.elo`, `.standard_error`, `.probability(i, j)`, `.difference_error(i, j)`.

    Raises
    ------
    InvalidInput
        For a table that is not square, negative wins, wins over oneself, a negative ridge.
    NotEnoughData
        Without ridge, when some arms never lost to, or never met, the others.

    References
    ----------
    Bradley & Terry (1952), doi:10.2307/2334029. Hunter (2004), doi:10.1214/aos/1079120141.

    Examples
    --------
    >>> result = bradley_terry([[0, 6, 7], [4, 0, 5], [3, 5, 0]])
    >>> print(result)
    Elo +72, -24, -48 (mean 0, Bradley-Terry, 3 arms)
    >>> round(result.probability(0, 1), 3)
    0.634
    """
    ridge = real_number(ridge, "ridge", low=0)
    resamples, seed = whole_number(resamples, "resamples", low=2), whole_number(seed, "seed", low=0)
    by_task = _wins(wins)
    table = by_task.sum(axis=0)
    if ridge == 0:
        _connected(table)
    strength = _fit(table[None], ridge)[0]
    return BradleyTerry(
        strength=strength,
        covariance=_covariance(table, strength, ridge),
        cluster_covariance=_over_tasks(by_task, ridge, resamples, seed),
        ridge=ridge,
        inputs=keep(wins=table),
    )


def _wins(wins: ArrayLike) -> Array:
    """Return wins as tasks x arms x arms, tasks in an order that depends on their values alone."""
    table = real_array(wins, "wins")
    table = table[None] if table.ndim == 2 else table
    arms = table.shape[-1]
    if table.ndim != 3 or table.shape[1] != arms or arms < 2 or not len(table):
        what = f"wins has shape {np.shape(wins)}"
        raise InvalidInput(what, "argument wins", "pass arms x arms, or tasks x arms x arms")
    if (table < 0).any() or np.einsum("tii->ti", table).any():
        what = "an arm has negative wins or wins over itself"
        raise InvalidInput(what, "argument wins", "count wins of the row over the column")
    flat = table.reshape(len(table), -1)
    return table[np.lexsort(flat.T[::-1])]


def _connected(table: Array) -> None:
    """Refuse data in which some arms never lost to the others: their strength is infinite."""
    arms = len(table)
    reach = (table > 0) | np.eye(arms, dtype=bool)
    for _ in range(arms):
        reach = (reach.astype(float) @ reach.astype(float)) > 0
    if not reach.all():
        i, j = np.argwhere(~reach)[0]
        what = f"arm {i} never beat arm {j}, not even through others, so a strength is infinite"
        raise NotEnoughData(what, "argument wins", "compare more, or pass ridge=0.1")


def _gradient_and_curvature(tables: Array, strength: Array, ridge: float) -> tuple[Array, Array]:
    games = tables + np.swapaxes(tables, 1, 2)
    p = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
    gradient = (tables - games * p).sum(axis=2) - ridge * strength
    weight = games * p * (1 - p)
    curvature = -weight
    index = np.arange(tables.shape[1])
    curvature[:, index, index] += weight.sum(axis=2) + ridge
    return gradient, curvature


def _fit(tables: Array, ridge: float) -> Array:
    """Newton's method on a batch of tables at once; strengths sum to zero."""
    batch, arms = tables.shape[:2]
    strength = np.zeros((batch, arms))
    level = np.full((arms, arms), 1 / arms)
    for _ in range(MOST_STEPS):
        gradient, curvature = _gradient_and_curvature(tables, strength, ridge)
        step = np.linalg.solve(curvature + level, gradient[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        strength = strength + step * np.minimum(1.0, 2.0 / np.maximum(largest, 1e-300))
        if largest.max() < 1e-11:
            break
    return np.asarray(strength - strength.mean(axis=1, keepdims=True))


def _covariance(table: Array, strength: Array, ridge: float) -> Array:
    _, curvature = _gradient_and_curvature(table[None], strength[None], ridge)
    return np.asarray(np.linalg.pinv(curvature[0], hermitian=True))


def _over_tasks(by_task: Array, ridge: float, resamples: int, seed: int) -> Array | None:
    tasks, arms = by_task.shape[:2]
    if tasks < 2:
        return None
    flat = by_task.reshape(tasks, -1)
    tables = np.concatenate([w @ flat for w in draw_counts(tasks, resamples, seed)])
    strengths = _fit(tables.reshape(-1, arms, arms), max(ridge, RESAMPLE_RIDGE))
    return np.asarray(np.cov(strengths.T))
