"""Passes and trials of each task in each group: what every comparison starts from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agenteval.comparison.trial_table import Codes, Floats, TrialTable


@dataclass(frozen=True)
class Cells:
    """One entry a (group, task) pair that has any row, sorted by group, then task.

    Attributes
    ----------
    group, task
        Positions in the groups and tasks of the trial table.
    counted, passes, left_out
        Trials that count, passes among them, and rows left out of the rate.
    row
        For each row of the trial table its cell.
    """

    group: Codes
    task: Codes
    counted: Codes
    passes: Codes
    left_out: Codes
    row: Codes

    def of(self, group: int) -> slice:
        """Return the cells of one group."""
        start, stop = np.searchsorted(self.group, (group, group + 1))
        return slice(int(start), int(stop))

    def each_group(self, groups: int) -> Iterator[slice]:
        """Yield the cells of each group in turn."""
        edges = np.searchsorted(self.group, np.arange(groups + 1))
        for start, stop in zip(edges[:-1], edges[1:], strict=True):
            yield slice(int(start), int(stop))

    def mean(self, table: TrialTable, column: str) -> Floats:
        """Return the mean of a column over the counted trials of each cell, NaN where unknown."""
        values = table.numbers(column)
        use = table.counted & ~np.isnan(values)
        size = len(self.group)
        total = np.bincount(self.row[use], weights=values[use], minlength=size)
        known = np.bincount(self.row[use], minlength=size)
        return np.divide(total, known, out=np.full(size, np.nan), where=known > 0)


def cells_of(table: TrialTable) -> Cells:
    """Count the trials of each (group, task) pair."""
    tasks = len(table.tasks)
    key = table.group * tasks + table.task
    size = len(table.groups) * tasks
    if size <= 4 * len(key) + 4096:
        rows = np.bincount(key, minlength=size)
        kept = np.flatnonzero(rows)
        position = np.zeros(size, dtype=np.int64)
        position[kept] = np.arange(len(kept))
        row = position[key]
    else:
        kept, row = np.unique(key, return_inverse=True)
    counted = np.bincount(row[table.counted], minlength=len(kept))
    passes = np.bincount(row[table.passed == 1], minlength=len(kept))
    left_out = np.bincount(row, minlength=len(kept)) - counted
    return Cells(kept // tasks, kept % tasks, counted, passes, left_out, row)
