"""How likely B is better than A on the population of tasks, tasks paired."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from agenteval.errors import NotEnoughData
from agenteval.stats.results import OVER_TASKS, Interval, keep
from agenteval.stats.validation import (
    Array,
    open_unit,
    same_length,
    task_column,
    whole_number,
)

CHUNK_CELLS = 2**21
CORRELATIONS = 41
CELLS_PER_SD = 6
REACH = 6.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedPosterior(Interval):
    """Posterior of the difference B - A.

    Parameters
    ----------
    probability_better
        Probability that B is better than A.
    """

    probability_better: float = float("nan")

    def __str__(self) -> str:
        """Print in one line."""
        return f"{super().__str__()}, P(B > A) = {self.probability_better:.4g}"


def paired_bayes(
    a: ArrayLike, b: ArrayLike, *, seed: int = 0, level: float = 0.95, draws: int = 10_000
) -> PairedPosterior:
    """Say how likely B is better than A, tasks paired.

    Tasks run once each (all values 0 or 1): both outcomes come from a bivariate normal with
    correlation rho, rates uniform, rho ~ 2 Beta(4, 2) - 1; summed on a grid around the observed
    rates, so no seed is involved. Other task values: Bayesian bootstrap of the differences
    (Dirichlet weights), which assumes nothing and knows nothing beyond the values seen: with every
    difference on one side it is certain, so do not use it below about 10 tasks. The task is the
    independent unit. That the Bayesian bootstrap stands in for a clustered model is this package's
    choice.

    Parameters
    ----------
    a, b
        One value a task and arm, tasks in the same order.
    seed, draws
        Seed and number of draws of the Bayesian bootstrap.
    level
        Credible level in (0, 1).

    Returns
    -------
    PairedPosterior
        Posterior mean and equal-tailed interval of B - A, `.probability_better` in [0, 1]. Without
        any difference between the arms' values the bootstrap gives 0.5 and NaN limits, marked
        degenerate.

    Raises
    ------
    InvalidInput
        For NaN, arms of different length, a level outside (0, 1).
    NotEnoughData
        With fewer than two tasks.

    References
    ----------
    Bowyer, Aitchison & Ivanova (2025), doi:10.48550/arXiv.2503.01747. Rubin (1981),
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> a, b = [1, 0, 0, 1, 0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 1, 1, 0, 1, 1, 0]
    >>> round(paired_bayes(a, b).probability_better, 3)
    0.954
    """
    level, seed = open_unit(level, "level"), whole_number(seed, "seed", low=0)
    draws = whole_number(draws, "draws", low=100)
    first, second = task_column(a, "a"), task_column(b, "b")
    same_length(first, second, "a, b")
    if len(first) < 2:
        raise NotEnoughData("one task has no spread between tasks", "arguments a, b", "run more")
    binary = bool(np.isin(first, (0, 1)).all() and np.isin(second, (0, 1)).all())
    if binary:
        points, weights = _probit_posterior(first, second)
    else:
        points, weights = _dirichlet_means(np.sort(second - first), draws, seed), np.ones(draws)
    flat = bool(np.ptp(points) == 0)
    low, high = (np.nan, np.nan) if flat else _quantiles(points, weights, level)
    share = np.average((points > 0) + (points == 0) / 2, weights=weights)
    return PairedPosterior(
        estimate=float(np.average(points, weights=weights)),
        low=float(low),
        high=float(high),
        level=level,
        method="bivariate_probit" if binary else "bayesian_bootstrap",
        estimand=f"B - A, {OVER_TASKS}",
        n_tasks=len(first),
        degenerate=flat,
        inputs=keep(a=first, b=second, seed=seed, draws=draws),
        probability_better=float(share),
    )


def _dirichlet_means(d: Array, draws: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    rows = max(1, CHUNK_CELLS // len(d))
    parts = []
    for start in range(0, draws, rows):
        weights = rng.standard_exponential((min(rows, draws - start), len(d)))
        parts.append(weights @ d / weights.sum(axis=1))
    return np.concatenate(parts)


def _quantiles(points: Array, weights: Array, level: float) -> tuple[float, float]:
    order = np.argsort(points, kind="stable")
    below = np.cumsum(weights[order]) - weights[order] / 2
    low, high = np.interp([(1 - level) / 2, (1 + level) / 2], below / weights.sum(), points[order])
    return float(low), float(high)


def _probit_posterior(a: Array, b: Array) -> tuple[Array, Array]:
    """Return differences of the two rates on a grid, and their posterior weights."""
    n = len(a)
    both, only_a, only_b = float(a @ b), float(a @ (1 - b)), float((1 - a) @ b)
    sums = float(a.sum()), float(b.sum())
    cells_in_unit = ceil(CELLS_PER_SD / min(_posterior_sd(s, n) for s in sums))
    cells_a, cells_b = (_cells(s, n, cells_in_unit) for s in sums)
    rates_a, rates_b = (cells_a + 0.5) / cells_in_unit, (cells_b + 0.5) / cells_in_unit
    nodes, node_weights = np.polynomial.legendre.leggauss(CORRELATIONS)
    prior = node_weights * ((nodes + 1) / 2) ** 3 * (1 - (nodes + 1) / 2)
    p_a, p_b = rates_a[:, None, None], rates_b[None, :, None]
    joint = _both_pass(p_a, p_b, nodes[None, None, :])
    cells = (joint, p_a - joint, p_b - joint, 1 - p_a - p_b + joint)
    counts = (both, only_a, only_b, n - both - only_a - only_b)
    log_weight = np.log(np.broadcast_to(prior, joint.shape))
    for cell, count in zip(cells, counts, strict=True):
        log_weight = log_weight + count * np.log(np.maximum(cell, 1e-300))
    weights = np.exp(log_weight - log_weight.max()).sum(axis=2)
    points = (cells_b[None, :] - cells_a[:, None]) / cells_in_unit
    return points.ravel(), weights.ravel()


def _posterior_sd(passed: float, n: int) -> float:
    centre = (passed + 1) / (n + 2)
    return sqrt(centre * (1 - centre) / (n + 3))


def _cells(passed: float, n: int, cells_in_unit: int) -> Array:
    """Return the cells of a common lattice that cover where the posterior of one rate can be.

    Both arms share the lattice, so that equal rates are ties and count half for either arm.
    """
    centre, half = (passed + 1) / (n + 2), REACH * _posterior_sd(passed, n)
    low = max(0, int((centre - half) * cells_in_unit))
    high = min(cells_in_unit, int((centre + half) * cells_in_unit) + 1)
    return np.arange(low, high, dtype=np.float64)


def _both_pass(p_a: Array, p_b: Array, rho: Array) -> Array:
    """P(both pass) of a bivariate normal: integrate its density over the correlation's angle."""
    h, k = ndtri(p_a), ndtri(p_b)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    top = np.arcsin(rho)
    total = np.zeros(np.broadcast_shapes(h.shape, k.shape, rho.shape))
    for node, weight in zip(nodes, weights, strict=True):
        angle = top * (node + 1) / 2
        sine, cosine2 = np.sin(angle), np.cos(angle) ** 2
        total += weight * np.exp(-(h**2 - 2 * h * k * sine + k**2) / (2 * cosine2))
    joint = ndtr(h) * ndtr(k) + total * top / (4 * np.pi)
    least, most = np.maximum(0, p_a + p_b - 1), np.minimum(p_a, p_b)
    return np.asarray(np.clip(joint, least, most))
