"""Confidence sequences: intervals that stay right however often one looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.results import keep
from agenteval.stats.validation import Array, choice, open_unit, real_number, task_column

BURN_IN = 20
GRID = 1_000
CHUNK_CELLS = 2_000_000

SequenceMethod = Literal["betting", "empirical_bernstein", "hoeffding", "asymptotic"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfidenceSequence:
    """One interval after every task, all of them right together with probability `level`.

    Parameters
    ----------
    estimate, low, high
        Arrays: running mean and limits after 1, 2, ... tasks. Limits that say nothing yet are the
        bounds of the values, or infinite.
    level
        Probability that no interval of the sequence ever misses.
    method
        Name of the construction.
    n_tasks
        Number of tasks so far.
    inputs
        What went in, in the order it came.
    """

    estimate: Array
    low: Array
    high: Array
    level: float
    method: str
    n_tasks: int
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def decided(self, value: float = 0.0) -> int | None:
        """Return after how many tasks the sequence first excluded `value`, None if it has not."""
        outside = (self.low > value) | (self.high < value)
        return int(np.argmax(outside)) + 1 if outside.any() else None

    def __str__(self) -> str:
        """Print the newest interval in one line."""
        return (
            f"{self.estimate[-1]:.4g} [{self.low[-1]:.4g}, {self.high[-1]:.4g}] at "
            f"{100 * self.level:g} % at any time, {self.method}, {self.n_tasks} tasks"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def confidence_sequence(
    values: ArrayLike,
    *,
    method: SequenceMethod = "betting",
    alpha: float = 0.05,
    tuned_for: int = 100,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> ConfidenceSequence:
    """Watch a mean while tasks come in, without the error of looking early and often.

    Ordinary intervals hold for one look: peeking after every task rejects a true null hypothesis a
    quarter of the time. The unit is the task, in random order, each value the mean of all repeats
    (and both arms) of a new task: trials of tasks already seen bring no new unit. `betting` is the
    default and the sharpest of the three that hold for bounded values at every sample size.
    `asymptotic` needs no bounds but many tasks: it makes no claim in the first 20 (from there on it
    rejects a true null at most 4.2 % of the time in simulation, from task 2 on 20 to 25 %), nor
    while all values are equal. At `tuned_for` tasks it is about 1.55 times as wide as a fixed 95 %
    interval. Written here because confseq is not a dependency; golden values are from it.

    Parameters
    ----------
    values
        One value a task, in the order the tasks came.
    method
        `betting`, `empirical_bernstein`, `hoeffding` (bounded values) or `asymptotic`.
    alpha
        Chance that any interval ever misses, in (0, 1).
    tuned_for
        Number of tasks at which `asymptotic` is narrowest.
    bounds
        What a value can be: (0, 1) for rates, (-1, 1) for differences of rates. Not used by
        `asymptotic`.

    Returns
    -------
    ConfidenceSequence
        Arrays with one entry a task; `.decided(0)` says when 0 was first excluded.

    Raises
    ------
    InvalidInput
        For values outside `bounds`, NaN, an unknown method, alpha outside (0, 1), tuned_for < 1.
    NotEnoughData
        For no task.

    References
    ----------
    Waudby-Smith & Ramdas (2024), doi:10.1093/jrsssb/qkad009. Waudby-Smith et al. (2021),
    doi:10.48550/arXiv.2103.06476.

    Examples
    --------
    >>> print(confidence_sequence([1, 1, 0, 1] * 10, method="hoeffding"))
    0.75 [0.527, 0.9773] at 95 % at any time, hoeffding, 40 tasks
    """
    choice(method, "method", ("betting", "empirical_bernstein", "hoeffding", "asymptotic"))
    alpha = open_unit(alpha, "alpha")
    x = task_column(values, "values")
    mean = np.cumsum(x) / np.arange(1, len(x) + 1)
    if method == "asymptotic":
        low, high = _asymptotic(x, mean, alpha, real_number(tuned_for, "tuned_for", low=1))
    else:
        bottom, top = real_number(bounds[0], "bounds[0]"), real_number(bounds[1], "bounds[1]")
        if bottom >= top or x.min() < bottom or x.max() > top:
            what = f"values from {x.min():g} to {x.max():g} do not fit bounds {bottom:g} to {top:g}"
            raise InvalidInput(what, "arguments values, bounds", "pass what a value can be")
        rule = {"betting": _betting, "empirical_bernstein": _bernstein, "hoeffding": _hoeffding}
        limits = rule[method]((x - bottom) / (top - bottom), alpha)
        low, high = (bottom + (top - bottom) * np.clip(side, 0, 1) for side in limits)
    return ConfidenceSequence(
        estimate=mean,
        low=low,
        high=high,
        level=1 - alpha,
        method=method,
        n_tasks=len(x),
        inputs=keep(values=x, tuned_for=tuned_for, bounds=bounds),
    )


def asymptotic_half_width(t: ArrayLike, *, sd: ArrayLike, rho: float, alpha: float) -> Array:
    """Return the half-width of the asymptotic confidence sequence after t tasks."""
    scaled = np.asarray(t, dtype=np.float64) * rho**2
    inside = 2 * (scaled + 1) / (scaled * np.asarray(t)) * np.log(np.sqrt(scaled + 1) / alpha)
    return np.asarray(np.asarray(sd) * np.sqrt(inside))


def _asymptotic(x: Array, mean: Array, alpha: float, tuned_for: float) -> tuple[Array, Array]:
    t = np.arange(1, len(x) + 1)
    rho = sqrt((-2 * log(alpha) + log(1 - 2 * log(alpha))) / tuned_for)
    squares = np.cumsum((x - x.mean()) ** 2) - t * (mean - x.mean()) ** 2
    sd = np.sqrt(np.maximum(squares, 0) / np.maximum(t - 1, 1))
    half = asymptotic_half_width(t, sd=sd, rho=rho, alpha=alpha)
    silent = (t < BURN_IN) | (sd <= 1e-12 * np.abs(x).max())
    half = np.where(silent, np.inf, half)
    return mean - half, mean + half


def _predictable_bets(x: Array, alpha: float) -> Array:
    """Bet sizes from what came before: sqrt(2 log(1/alpha) / (t log(1+t) variance so far))."""
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    return np.asarray(np.sqrt(2 * log(1 / alpha) / (t * np.log(1 + t) * before)))


def _mixture_lower(x: Array, bets: Array, penalty: Array, alpha: float) -> Array:
    weight = np.cumsum(bets)
    return np.asarray((np.cumsum(bets * x) - log(1 / alpha) - np.cumsum(penalty)) / weight)


def _bernstein(x: Array, alpha: float) -> tuple[Array, Array]:
    def lower(y: Array) -> Array:
        bets = np.minimum(_predictable_bets(y, alpha / 2), 0.5)
        before = np.concatenate([[0.0], (np.cumsum(y) / np.arange(1, len(y) + 1))[:-1]])
        return _mixture_lower(y, bets, (y - before) ** 2 * (-np.log1p(-bets) - bets), alpha / 2)

    return lower(x), 1 - lower(1 - x)


def _hoeffding(x: Array, alpha: float) -> tuple[Array, Array]:
    t = np.arange(1, len(x) + 1)
    bets = np.minimum(np.sqrt(8 * log(2 / alpha) / (t * np.log(1 + t))), 1.0)

    def lower(y: Array) -> Array:
        return _mixture_lower(y, bets, bets**2 / 8, alpha / 2)

    return lower(x), 1 - lower(1 - x)


def _betting(x: Array, alpha: float) -> tuple[Array, Array]:
    """Means against which neither of two bettors has multiplied a stake of 1/2 by 1/alpha."""
    grid = np.linspace(0, 1, GRID + 1)
    low, high = np.ones(len(x)), np.zeros(len(x))
    bets = _predictable_bets(x, alpha / 2)
    step = max(1, CHUNK_CELLS // len(x))
    for start in range(0, len(grid), step):
        m = grid[start : start + step, None]
        alive = (_log_wealth(x, bets, m) < log(2 / alpha)) & (
            _log_wealth(1 - x, bets, 1 - m) < log(2 / alpha)
        )
        any_alive = alive.any(axis=0)
        first, last = alive.argmax(axis=0), len(m) - 1 - alive[::-1].argmax(axis=0)
        low = np.minimum(low, np.where(any_alive, m[first, 0], 1.0))
        high = np.maximum(high, np.where(any_alive, m[last, 0], 0.0))
    low, high = np.where(low > high, 0.0, low), np.where(low > high, 1.0, high)
    return np.maximum(low - 1 / GRID, 0.0), np.minimum(high + 1 / GRID, 1.0)


def _log_wealth(x: Array, bets: Array, m: Array) -> Array:
    """Log of what a bettor on a mean above m has made of each unit, rows m, columns time."""
    with np.errstate(divide="ignore"):
        capped = np.minimum(bets, np.where(m > 0, 0.5 / np.where(m > 0, m, 1.0), np.inf))
    return np.asarray(np.cumsum(np.log1p(capped * (x - m)), axis=1))
