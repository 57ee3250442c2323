"""Resampled task means: whole tasks drawn with replacement, in chunks of fixed size and order.

Speed comes from counting: 16-bit task numbers -> `bincount` -> how often each task was drawn -> one
matrix product for all metrics, in chunks that fit the processor's cache. `Generator.multinomial`
over tasks is far slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.validation import Array, real_array

CHUNK_CELLS = 2**16
FEW_ROWS = 32
MOST_EXHAUSTIVE_TASKS = 9


def canonical_rows(values: Array) -> Array:
    """Sort the rows by their values, so that the order they came in cannot matter."""
    return np.ascontiguousarray(values[np.lexsort(values.T[::-1])])


def draw_counts(tasks: int, resamples: int, seed: int) -> Iterator[Array]:
    """Yield chunks (resamples x tasks) of how often each task was drawn.

    The chunk depends on the number of tasks alone, so memory and threads change no result.
    """
    rng = np.random.default_rng(seed)
    rows = max(1, CHUNK_CELLS // tasks)
    small = np.uint16 if tasks < 2**16 else np.int64
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = rng.integers(0, tasks, size=(size, tasks), dtype=small)
        cell = drawn + np.arange(0, size * tasks, tasks)[:, None]
        counts = np.bincount(cell.ravel(), minlength=size * tasks)
        yield counts.reshape(size, tasks).astype(np.float64)


def resampled_means(values: ArrayLike, *, resamples: int = 10_000, seed: int = 0) -> Array:
    """Means of resampled tasks, all metrics on the same draws.

    What `bootstrap_interval` reads its limits off; for questions about several means at once, such
    as which arm is best, that no single interval answers. The task, a whole row, is the independent
    unit. Where few rows are distinct (pass rates) the counts of the distinct rows are drawn instead,
    which is the same distribution at a cost free of T.

    Parameters
    ----------
    values
        Tasks x metrics, no NaN.
    resamples
        Number of resamples.
    seed
        Seed of the draws. Rows are sorted first, so row order, memory and threads change nothing.

    Returns
    -------
    ndarray
        Resamples x metrics.

    Raises
    ------
    InvalidInput
        For NaN, or values that are not tasks x metrics.
    NotEnoughData
        For no task.

    Examples
    --------
    >>> resampled_means([[0.0, 1.0], [1.0, 3.0]], resamples=1_000).mean(axis=0).round(1).tolist()
    [0.5, 2.0]
    """
    table = real_array(values, "values")
    if table.ndim != 2:
        what = f"values has {table.ndim} dimensions"
        raise InvalidInput(what, "argument values", "pass tasks x metrics")
    if not table.size:
        raise NotEnoughData("values is empty", "argument values", "pass at least one task")
    rows = canonical_rows(table)
    tasks = len(rows)
    distinct, often = np.unique(rows, axis=0, return_counts=True)
    if len(distinct) <= FEW_ROWS and len(distinct) * 4 <= tasks:
        counts = np.random.default_rng(seed).multinomial(tasks, often / tasks, size=resamples)
        return np.asarray(counts @ distinct / tasks)
    return np.concatenate([w @ rows for w in draw_counts(tasks, resamples, seed)]) / tasks


def exhaustive_means(values: Array) -> tuple[Array, Array]:
    """Return the mean of every distinct resample and how many of the T^T resamples give it."""
    rows = canonical_rows(values)
    tasks = len(rows)
    if tasks > MOST_EXHAUSTIVE_TASKS:
        what = f"{tasks} tasks have {tasks}^{tasks} resamples"
        fix = f"enumerate at most {MOST_EXHAUSTIVE_TASKS} tasks, or draw with exhaustive=False"
        raise InvalidInput(what, "argument exhaustive", fix)
    draws = np.array(list(combinations_with_replacement(range(tasks), tasks)))
    counts = (draws[:, :, None] == np.arange(tasks)).sum(axis=1)
    ways = np.rint(factorial(tasks) / np.exp(gammaln(counts + 1).sum(axis=1)))
    return counts @ rows / tasks, ways


def weighted_quantile(points: Array, ways: Array, probability: float) -> float:
    """Return the type-7 quantile of `points`, each repeated `ways` times."""
    order = np.argsort(points, kind="stable")
    ranks = np.cumsum(ways[order])
    place = (ranks[-1] - 1) * probability
    below = points[order][np.searchsorted(ranks, np.floor(place), side="right")]
    above = points[order][np.searchsorted(ranks, np.ceil(place), side="right")]
    return float(below + (above - below) * (place - np.floor(place)))
