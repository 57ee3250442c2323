"""How many times as much one side costs or takes, paired on tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agenteval.comparison.cells import Cells
from agenteval.comparison.pairing import Pair
from agenteval.comparison.trial_table import Floats, TrialTable
from agenteval.stats import geometric_mean_ratio

NAN = float("nan")


@dataclass(frozen=True)
class Ratio:
    """Candidate over baseline, with its interval; NaN where it is unknown.

    Attributes
    ----------
    estimate, low, high
        Geometric mean over tasks of the ratio, and its limits.
    tasks
        Tasks on which both sides are known.
    column
        Column it was computed from.
    """

    estimate: float
    low: float
    high: float
    tasks: int
    column: str


def cache_neutral_cost(table: TrialTable, premiums: Mapping[str, float] | None) -> Floats:
    """Return what each trial would have cost had its first request found no warm cache.

    Parameters
    ----------
    premiums
        US dollars by which a token costs more when written to the cache than when read from it, by
        model. Without it, or for another model, the cost is unknown.
    """
    if not premiums:
        return np.full(len(table.group), NAN)
    model = table.words("model_used")
    model = model.where(model.notna(), table.words("model"))
    premium = model.map(dict(premiums)).to_numpy(dtype=np.float64, na_value=NAN)
    return table.numbers("cost_usd") + premium * table.numbers("first_cache_read_tokens")


def log_means(table: TrialTable, cells: Cells, values: Floats) -> Floats:
    """Return the mean logarithm of values over the counted trials of each cell; NaN if unknown.

    A zero has no logarithm, so a cell with one is unknown.
    """
    use = table.counted & ~np.isnan(values)
    logs = np.log(values[use], out=np.full(int(use.sum()), np.nan), where=values[use] > 0)
    size = len(cells.group)
    total = np.bincount(cells.row[use], weights=logs, minlength=size)
    known = np.bincount(cells.row[use], minlength=size)
    return np.divide(total, known, out=np.full(size, np.nan), where=known > 0)


def paired_ratio(cells: Cells, pair: Pair, logs: Floats, *, level: float, column: str) -> Ratio:
    """Return the geometric mean ratio of the candidate to the baseline over common tasks."""
    a, b = (_of_tasks(cells, group, pair, logs) for group in (pair.group_a, pair.group_b))
    both = ~(np.isnan(a) | np.isnan(b))
    tasks = int(both.sum())
    if tasks == 0:
        return Ratio(NAN, NAN, NAN, 0, column)
    a, b = np.exp(a[both]), np.exp(b[both])
    if tasks == 1:
        return Ratio(float(b[0] / a[0]), NAN, NAN, 1, column)
    found = geometric_mean_ratio(a, b, level=level)
    return Ratio(found.estimate, found.low, found.high, tasks, column)


def _of_tasks(cells: Cells, group: int, pair: Pair, logs: Floats) -> Floats:
    part = cells.of(group)
    return logs[part][np.searchsorted(cells.task[part], pair.task)]
