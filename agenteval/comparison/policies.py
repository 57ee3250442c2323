"""Other ways to count and to estimate a difference, each a row of the sensitivity table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agenteval.comparison.pairing import Pair
from agenteval.comparison.trial_table import Floats
from agenteval.stats import (
    Difference,
    bootstrap_interval,
    newcombe_cluster_difference,
    paired_t_difference,
    sign_flip_test,
    wilson_cluster_interval,
)

Rows = NDArray[np.bool_]
NAN = float("nan")


@dataclass(frozen=True)
class Estimate:
    """One policy's difference; the p-value is NaN where the method has none."""

    tasks: int
    difference: float
    low: float
    high: float
    pvalue: float
    method: str


def of_difference(found: Difference) -> Estimate:
    """Return the numbers of a difference of `agenteval.stats`."""
    tasks = found.n_tasks or 0
    limits = (float(found.low), float(found.high))
    return Estimate(tasks, float(found.estimate), *limits, found.pvalue, found.method)


# Policies about which trials count: (trials of both sides, rows of the candidate) -> verdicts.


def errors_left_out(frame: pd.DataFrame, candidate: Rows) -> Floats:
    """Leave out trials that a limit or a crash ended."""
    return np.where(frame["status"] == "error", np.nan, _verdicts(frame))


def left_out_failed(frame: pd.DataFrame, candidate: Rows) -> Floats:
    """Count every left-out trial as failed."""
    return np.nan_to_num(_verdicts(frame), nan=0.0)


def left_out_against(frame: pd.DataFrame, candidate: Rows) -> Floats:
    """Count left-out trials as failed for the candidate and as passed for the baseline."""
    verdicts = _verdicts(frame)
    return np.where(np.isnan(verdicts), np.where(candidate, 0.0, 1.0), verdicts)


def left_out_in_favour(frame: pd.DataFrame, candidate: Rows) -> Floats:
    """Count left-out trials as passed for the candidate and as failed for the baseline."""
    return left_out_against(frame, ~candidate)


def first_repeat(frame: pd.DataFrame, candidate: Rows) -> Floats:
    """Keep the first counted repeat of each task and side."""
    verdicts = _verdicts(frame)
    order = frame.assign(
        side=candidate, verdict=verdicts, row=np.arange(len(frame)), number=frame["repeat"]
    )
    keys = [name for name in ("run_id", "trial_id") if name in frame.columns]
    order = order[~np.isnan(verdicts)].sort_values(["number", *keys], kind="stable")
    tasks = [name for name in ("suite", "task_id") if name in frame.columns]
    first = order.drop_duplicates(["side", *tasks])["row"].to_numpy()
    kept = np.full(len(frame), np.nan)
    kept[first] = verdicts[first]
    return kept


def _verdicts(frame: pd.DataFrame) -> Floats:
    return frame["passed"].to_numpy(dtype=np.float64, na_value=np.nan, copy=True)


# Policies about the estimate: (pair, level) -> estimate.


def majority_of_repeats(pair: Pair, level: float) -> Estimate:
    """A task counts as solved when more than half of its trials pass."""
    return _one_a_task(
        pair, pair.passes_a * 2 > pair.trials_a, pair.passes_b * 2 > pair.trials_b, level
    )


def all_repeats(pair: Pair, level: float) -> Estimate:
    """A task counts as solved when all of its trials pass."""
    return _one_a_task(pair, pair.passes_a == pair.trials_a, pair.passes_b == pair.trials_b, level)


def any_repeat(pair: Pair, level: float) -> Estimate:
    """A task counts as solved when any of its trials passes."""
    return _one_a_task(pair, pair.passes_a > 0, pair.passes_b > 0, level)


def _one_a_task(pair: Pair, a: Rows, b: Rows, level: float) -> Estimate:
    found = newcombe_cluster_difference(a.astype(int), 1, b.astype(int), 1, level=level)
    return of_difference(found)


def paired_t(pair: Pair, level: float) -> Estimate:
    """Student's t on the task differences."""
    return of_difference(paired_t_difference(pair.rates_a, pair.rates_b, level=level))


def bootstrap(pair: Pair, level: float) -> Estimate:
    """BCa bootstrap of the task differences."""
    d = pair.rates_b - pair.rates_a
    found = bootstrap_interval(d, level=level, bounds=(-1, 1))
    p = sign_flip_test(d).midp
    return Estimate(len(d), float(d.mean()), float(found.low), float(found.high), p, found.method)


def pooled_trials(pair: Pair, level: float) -> Estimate:
    """Pooled rates, tasks with more trials weigh more; linearised, t limits over tasks."""
    a = _pseudo_values(pair.passes_a, pair.trials_a)
    b = _pseudo_values(pair.passes_b, pair.trials_b)
    return replace(of_difference(paired_t_difference(a, b, level=level)), method="linearised_t")


def _pseudo_values(passes: NDArray[np.int64], trials: NDArray[np.int64]) -> Floats:
    """Return task values whose mean is the pooled rate and whose spread is its linearised one."""
    total, tasks = trials.sum(), len(trials)
    rate = passes.sum() / total
    return np.asarray(rate + tasks * (passes - trials * rate) / total)


def unpaired(pair: Pair, level: float) -> Estimate:
    """Treat the sides as if they had been run on different tasks."""
    return _from_two_intervals(pair, level, "tasks")


def exactly_these_tasks(pair: Pair, level: float) -> Estimate:
    """Ask about exactly these tasks: only run-to-run noise counts."""
    return _from_two_intervals(pair, level, "runs")


def _from_two_intervals(pair: Pair, level: float, over: str) -> Estimate:
    a, b = (
        wilson_cluster_interval(passes, trials, level=level, over=over)  # type: ignore[arg-type]
        for passes, trials in ((pair.passes_a, pair.trials_a), (pair.passes_b, pair.trials_b))
    )
    d = b.estimate - a.estimate
    low = d - sqrt((b.estimate - b.low) ** 2 + (a.high - a.estimate) ** 2)
    high = d + sqrt((b.high - b.estimate) ** 2 + (a.estimate - a.low) ** 2)
    return Estimate(len(pair.task), d, low, high, NAN, f"newcombe of {b.method}")


def without_the_weightiest_task(pair: Pair, level: float) -> Estimate:
    """Drop the task that carries most of the difference."""
    d = pair.rates_b - pair.rates_a
    keep = np.arange(len(d)) != weightiest_task(pair)
    return default_difference(pair.of_tasks(np.flatnonzero(keep)), level)


def weightiest_task(pair: Pair) -> int:
    """Return the position of the task without which the difference is nearest to its opposite."""
    d = pair.rates_b - pair.rates_a
    return int(np.argmax(d * (1 if d.mean() >= 0 else -1)))


def default_difference(pair: Pair, level: float) -> Estimate:
    """Do what `head_to_head` does."""
    found = newcombe_cluster_difference(
        pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b, level=level
    )
    return of_difference(found)


COUNTING: dict[str, tuple[str, Callable[[pd.DataFrame, Rows], Floats]]] = {
    "errors left out": (
        "trials that a limit or a crash ended do not count, instead of as failed",
        errors_left_out,
    ),
    "left out = failed": ("trials left out of the rate count as failed", left_out_failed),
    "left out against": (
        "left-out trials failed for the candidate and passed for the baseline",
        left_out_against,
    ),
    "left out in favour": (
        "left-out trials passed for the candidate and failed for the baseline",
        left_out_in_favour,
    ),
    "first repeat": ("only the first counted repeat of each task", first_repeat),
}
ESTIMATING: dict[str, tuple[str, Callable[[Pair, float], Estimate]]] = {
    "all repeats": ("a task is solved when all its trials pass", all_repeats),
    "majority": ("a task is solved when more than half of its trials pass", majority_of_repeats),
    "any repeat": ("a task is solved when any of its trials passes", any_repeat),
    "pooled trials": ("every trial weighs the same instead of every task", pooled_trials),
    "these tasks only": (
        "exactly these tasks are the question; only run-to-run noise counts",
        exactly_these_tasks,
    ),
    "paired t": ("Student's t on the task differences", paired_t),
    "bootstrap": ("BCa bootstrap over tasks", bootstrap),
    "unpaired": ("the sides taken as run on different tasks", unpaired),
    "one task dropped": (
        "without the task that carries most of the difference",
        without_the_weightiest_task,
    ),
}
