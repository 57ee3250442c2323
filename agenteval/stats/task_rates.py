"""What each task contributes to a rate: its pass rate and repeats, in canonical order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.validation import Array, count_rows, same_length, task_column, whole_rows


@dataclass(frozen=True, eq=False)
class TaskRates:
    """Task means m, with passes and repeats where they are known (scores have none)."""

    mean: Array
    passed: Array | None = None
    repeats: Array | None = None

    @property
    def tasks(self) -> int:
        """Number of tasks, the independent units."""
        return len(self.mean)

    @property
    def trials(self) -> float | None:
        """Number of trials, None for scores."""
        return None if self.repeats is None else float(self.repeats.sum())

    @property
    def repeated(self) -> bool:
        """Whether any task has more than one trial, or may have (scores)."""
        return self.repeats is None or bool((self.repeats > 1).any())

    @property
    def estimate(self) -> float:
        """Task mean: every task weighs the same whatever its number of repeats."""
        return float(self.mean.mean())

    def counts(self, need: str) -> tuple[Array, Array]:
        """Return passes and repeats, or say why `need` cannot do with scores."""
        if self.passed is None or self.repeats is None:
            fix = "pass passed and n, or choose a procedure for task values"
            raise InvalidInput(f"{need} needs passes and repeats", "argument values", fix)
        return self.passed, self.repeats

    def sorted(self) -> TaskRates:
        """Put the tasks into an order that depends on their values alone."""
        if self.repeats is None or self.passed is None:
            return TaskRates(np.sort(self.mean))
        order = np.lexsort((self.repeats, self.mean))
        return TaskRates(self.mean[order], self.passed[order], self.repeats[order])


def task_rates(
    passed: ArrayLike | None, n: ArrayLike | None, values: ArrayLike | None = None
) -> TaskRates:
    """Check (passed, n) or values and return the rates, in canonical order."""
    return unsorted_rates(passed, n, values).sorted()


def unsorted_rates(
    passed: ArrayLike | None, n: ArrayLike | None, values: ArrayLike | None = None
) -> TaskRates:
    """Check (passed, n) or values and return the rates in the order given."""
    if values is not None:
        if passed is not None or n is not None:
            what = "both counts and values are given"
            raise InvalidInput(what, "argument values", "pass passed and n, or values alone")
        return TaskRates(task_column(values, "values", low=0, high=1))
    if passed is None or n is None:
        what = "neither counts nor values are given"
        raise InvalidInput(what, "arguments passed, n", "pass passed and n, or values=")
    k, repeats = count_rows(task_column(passed, "passed"), n)
    if k.ndim != 1 or k.size != np.size(passed):
        what = f"passed has {np.size(passed)} entries and n has shape {np.shape(n)}"
        raise InvalidInput(what, "arguments passed, n", "give each task one n, or one n for all")
    if (repeats == 0).any():
        where = f"argument n, task at position {int(np.argmin(repeats))}"
        fix = "leave out tasks without a counted trial and report how many"
        raise NotEnoughData("a task has no trial", where, fix)
    k, repeats = whole_rows(k, "passed"), whole_rows(repeats, "n")
    return TaskRates(k / repeats, k.copy(), repeats.copy())


def paired_rates(
    passed_a: ArrayLike, n_a: ArrayLike, passed_b: ArrayLike, n_b: ArrayLike
) -> tuple[TaskRates, TaskRates]:
    """Return both arms' rates over the same tasks, reordered together by their values alone."""
    a, b = unsorted_rates(passed_a, n_a), unsorted_rates(passed_b, n_b)
    same_length(a.mean, b.mean, "passed_a, passed_b")
    (k_a, m_a), (k_b, m_b) = a.counts("pairing"), b.counts("pairing")
    # Symmetric in the arms where possible, so that swapping A and B only changes the sign.
    order = np.lexsort((a.mean, b.mean, m_a, m_b, a.mean - b.mean, a.mean + b.mean))
    return (
        TaskRates(a.mean[order], k_a[order], m_a[order]),
        TaskRates(b.mean[order], k_b[order], m_b[order]),
    )
