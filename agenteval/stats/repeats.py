"""Do repeats of one task agree, and what a task counts as under a pass policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.results import keep
from agenteval.stats.task_rates import task_rates
from agenteval.stats.tries import pass_hat_k
from agenteval.stats.validation import Array, choice, real_array, same_length, task_column

Policy = Literal["all", "any", "majority", "first"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Flakiness:
    """How often repeats of a task disagree.

    Parameters
    ----------
    flaky_share
        Share of repeated tasks with both a pass and a fail. It grows with the repeats: compare it
        only between runs of the same `repeats`.
    within_variance
        Mean over repeated tasks of c(n-c) / (n(n-1)), unbiased whatever the repeats.
    disagreement
        Chance that two repeats of a task disagree: twice `within_variance`.
    all_pass, any_pass, majority
        Share of tasks counted as passed by each policy (a tie is no majority).
    n_tasks, n_repeated
        Tasks, and tasks with at least two repeats; only those enter the first three numbers.
    repeats
        Smallest and largest number of repeats.
    inputs
        What went in.
    """

    flaky_share: float
    within_variance: float
    disagreement: float
    all_pass: float
    any_pass: float
    majority: float
    n_tasks: int
    n_repeated: int
    repeats: tuple[int, int]
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def consistency(self, k: int) -> float:
        """Return pass^k / pass^1 over tasks with at least k repeats, NaN if none passes."""
        n, c = self.inputs["n"], self.inputs["c"]
        enough = n >= k
        if not enough.any() or not c[enough].any():
            return float("nan")
        once = float(np.mean(c[enough] / n[enough]))
        return float(np.mean(pass_hat_k(n[enough], c[enough], k))) / once

    def __str__(self) -> str:
        """Print in one line."""
        low, high = self.repeats
        runs = f"{low}" if low == high else f"{low} to {high}"
        return (
            f"{self.flaky_share:.4g} of {self.n_repeated} tasks flaky at {runs} repeats, "
            f"two repeats disagree with probability {self.disagreement:.4g}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def flakiness(n: ArrayLike, c: ArrayLike) -> Flakiness:
    """Measure how often repeats of a task disagree.

    The share of tasks with mixed outcomes grows with the number of repeats, so the unbiased chance
    that two repeats disagree stands beside it. The unit is the task.

    Parameters
    ----------
    n, c
        Repeats and passes by task (one n for all is enough).

    Returns
    -------
    Flakiness
        Shares in [0, 1].

    Raises
    ------
    InvalidInput
        For c > n, negative or fractional counts, NaN.
    NotEnoughData
        For no task, or when no task was repeated.

    Examples
    --------
    >>> print(flakiness(4, [0, 1, 4, 2]))
    0.5 of 4 tasks flaky at 4 repeats, two repeats disagree with probability 0.2917
    """
    rates = task_rates(c, n)
    passed, repeats = rates.counts("flakiness")
    again = repeats > 1
    if not again.any():
        fix = "run each task at least twice"
        raise NotEnoughData("no task was repeated, so none can disagree", "argument n", fix)
    k, m = passed[again], repeats[again]
    within = float(np.mean(k * (m - k) / (m * (m - 1))))
    return Flakiness(
        flaky_share=float(np.mean((k > 0) & (k < m))),
        within_variance=within,
        disagreement=2 * within,
        all_pass=float(np.mean(passed == repeats)),
        any_pass=float(np.mean(passed > 0)),
        majority=float(np.mean(passed > repeats / 2)),
        n_tasks=rates.tasks,
        n_repeated=int(again.sum()),
        repeats=(int(repeats.min()), int(repeats.max())),
        inputs=keep(n=repeats, c=passed),
    )


def policy_values(outcomes: ArrayLike, *, policy: Policy = "all") -> Array:
    """Reduce the repeats of each task to one value by a pass policy.

    `any` is the plug-in pass@n and `all` the plug-in pass^n, so both depend on the number of
    repeats; a tie is no majority. The unit is the task.

    Parameters
    ----------
    outcomes
        Tasks x repeats in the order run, 1 = pass, 0 = fail, NaN = no counted trial.
    policy
        `all`, `any`, `majority` or `first` (the first counted trial).

    Returns
    -------
    ndarray
        0 or 1 a task; NaN where a task has no counted trial.

    Raises
    ------
    InvalidInput
        For a table that is not two-dimensional, other values than 0, 1 and NaN, an unknown policy.

    Examples
    --------
    >>> policy_values([[1, 0, 1], [0, 1, float("nan")]], policy="majority").tolist()
    [1.0, 0.0]
    """
    choice(policy, "policy", ("all", "any", "majority", "first"))
    table = real_array(outcomes, "outcomes", finite=False)
    known = ~np.isnan(table)
    if table.ndim != 2 or not np.isin(table[known], (0.0, 1.0)).all():
        what = "outcomes is not a table of 0, 1 and NaN"
        raise InvalidInput(what, "argument outcomes", "pass one row a task, one column a repeat")
    n, c = known.sum(axis=1), np.where(known, table, 0).sum(axis=1)
    if policy == "first":
        first = table[np.arange(len(table)), known.argmax(axis=1)]
        return np.asarray(np.where(n > 0, first, np.nan))
    passes = {"all": c == n, "any": c > 0, "majority": c > n / 2}[policy]
    return np.asarray(np.where(n > 0, passes.astype(float), np.nan))


@dataclass(frozen=True, kw_only=True, eq=False)
class MissingBand:
    """The pass rate if every missing trial had failed, and if every one had passed.

    Parameters
    ----------
    low, high
        Mean task rate with the missing trials counted as failed, and as passed.
    share_missing
        Missing trials over all trials.
    """

    low: float
    high: float
    share_missing: float

    def __str__(self) -> str:
        """Print in one line."""
        return f"{self.low:.4g} to {self.high:.4g} with {self.share_missing:.4g} of trials missing"

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def missing_band(passed: ArrayLike, n: ArrayLike, missing: ArrayLike) -> MissingBand:
    """Bound the pass rate over whatever the missing trials would have done (Manski bounds).

    No assumption about why trials are missing, and no sampling error: print it beside the interval.
    Tasks of which every trial is missing are included. The unit is the task.

    Parameters
    ----------
    passed, n, missing
        Passes, counted trials and missing trials by task; n + missing at least 1.

    Returns
    -------
    MissingBand
        `.low`, `.high` and `.share_missing`, all in [0, 1].

    Raises
    ------
    InvalidInput
        For impossible counts or lengths that differ.
    NotEnoughData
        For a task with neither a counted nor a missing trial.

    References
    ----------
    Manski (1990), American Economic Review 80(2), 319-323.

    Examples
    --------
    >>> print(missing_band([3, 1], [3, 2], [0, 1]))
    0.6667 to 0.8333 with 0.1667 of trials missing
    """
    k = task_column(passed, "passed")
    counted, lost = (
        np.broadcast_to(real_array(x, name), k.shape) if np.ndim(x) == 0 else task_column(x, name)
        for x, name in ((n, "n"), (missing, "missing"))
    )
    same_length(k, counted, "passed, n")
    same_length(k, lost, "passed, missing")
    if (lost < 0).any() or (k > counted).any():
        what = "a number of missing trials is negative, or passed is greater than n"
        raise InvalidInput(what, "arguments passed, n, missing", "pass three columns of counts")
    worst = task_rates(k, counted + lost)
    best = task_rates(k + lost, counted + lost)
    share = float(lost.sum() / (counted + lost).sum())
    return MissingBand(low=worst.estimate, high=best.estimate, share_missing=share)
