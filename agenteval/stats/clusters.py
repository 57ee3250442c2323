"""How much repeats of one task repeat each other: effective trials, standard errors, ICC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import NotEnoughData
from agenteval.stats.results import keep
from agenteval.stats.task_rates import TaskRates, task_rates
from agenteval.stats.validation import choice


def effective_trials(rates: TaskRates) -> float:
    """Return the number of independent trials that would tell as much about the task mean.

    clip(p(1-p) / (V/T), T, T^2 / sum(1/K)), V the population variance of the task means; T when the
    task means are all equal. Without repeats it is T, for equal repeats at most the trials.
    """
    p, tasks = rates.estimate, rates.tasks
    variance = float(np.mean((rates.mean - p) ** 2))
    if variance <= 1e-14:
        return float(tasks)
    most = np.inf if rates.repeats is None else tasks**2 / float(np.sum(1 / rates.repeats))
    return float(min(max(p * (1 - p) * tasks / variance, tasks), most))


def pooled_variance(rates: TaskRates) -> tuple[float, float]:
    """Return the pooled rate and its linearised variance T/(T-1) sum(u^2), tasks as clusters."""
    if rates.passed is None or rates.repeats is None:
        k, repeats = rates.mean, np.ones(rates.tasks)
    else:
        k, repeats = rates.passed, rates.repeats
    total = repeats.sum()
    rate = float(k.sum() / total)
    u = (k - repeats * rate) / total
    tasks = rates.tasks
    return rate, float(tasks / (tasks - 1) * np.sum(u**2)) if tasks > 1 else float("nan")


def cluster_standard_error(
    passed: ArrayLike | None = None,
    n: ArrayLike | None = None,
    *,
    values: ArrayLike | None = None,
    correction: Literal["cr0", "cr1", "cr2"] = "cr1",
) -> float:
    """Estimate the standard error of the pooled pass rate, with tasks as clusters.

    Trials of one task share its difficulty, so the task is the independent unit and the plain
    binomial standard error is too small. CR0
    is the formula of Miller's appendix A, without a small-sample factor; CR1 multiplies the
    variance by T/(T-1), and with equal repeats it equals sd(task means)/sqrt(T) and the survey
    (Taylor) standard error; CR2 (Bell-McCaffrey) also corrects for tasks with many repeats. With
    fewer than about 20 tasks prefer an interval with t quantiles or `wilson_cluster_interval`.

    Parameters
    ----------
    passed, n
        Passes and repeats by task (one n for all is enough).
    values
        Task values in [0, 1] in place of both; every task then weighs the same.
    correction
        `cr0`, `cr1` or `cr2`.

    Returns
    -------
    float
        The standard error of sum(passed) / sum(n), or of the mean of `values`.

    Raises
    ------
    InvalidInput
        For impossible counts or an unknown correction.
    NotEnoughData
        With fewer than two tasks, for `cr1` and `cr2`.

    References
    ----------
    Miller (2024), doi:10.48550/arXiv.2411.00640. Bell & McCaffrey (2002), Survey Methodology 28(2).

    Examples
    --------
    >>> round(cluster_standard_error([3, 0, 1, 3], [3, 3, 3, 3]), 4)
    0.25
    """
    choice(correction, "correction", ("cr0", "cr1", "cr2"))
    rates = task_rates(passed, n, values)
    tasks = rates.tasks
    if tasks < 2 and correction != "cr0":
        fix = "run more tasks: repeats cannot replace them"
        raise NotEnoughData("one task has no spread between tasks", "argument passed", fix)
    if rates.repeats is None:
        repeats, residual = np.ones(tasks), rates.mean - rates.estimate
    else:
        k, repeats = rates.counts("the pooled rate")
        residual = k - repeats * (k.sum() / repeats.sum())
    share = repeats / repeats.sum()
    squares = residual**2 / (1 - share) if correction == "cr2" else residual**2
    factor = tasks / (tasks - 1) if correction == "cr1" else 1.0
    return float(np.sqrt(factor * squares.sum()) / repeats.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class IntraclassCorrelation:
    """How alike trials of one task are, and what that costs.

    Parameters
    ----------
    estimate
        ANOVA estimate of the intraclass correlation; it may be slightly negative. NaN when all
        trials came out alike.
    msb, msw
        Mean squares between and within tasks.
    n0
        Repeats a task, averaged the way the estimator needs them.
    deff
        Kish design effect: the variance of the pooled rate over that of independent trials.
    n_eff
        Trials divided by the design effect; infinite where repeats differ as much as they can.
    n_tasks, n_trials
        Tasks and trials behind it.
    inputs
        What went in.
    """

    estimate: float
    msb: float
    msw: float
    n0: float
    deff: float
    n_eff: float
    n_tasks: int
    n_trials: float
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __float__(self) -> float:
        """Return the intraclass correlation itself."""
        return self.estimate

    def __str__(self) -> str:
        """Print in one line."""
        return (
            f"ICC {self.estimate:.4g}, design effect {self.deff:.4g}, {self.n_trials:g} trials of "
            f"{self.n_tasks} tasks are worth {self.n_eff:.4g}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def intraclass_correlation(passed: ArrayLike, n: ArrayLike) -> IntraclassCorrelation:
    """Measure how alike trials of one task are: 0 = no more than any two trials, 1 = identical.

    One-way analysis of variance with tasks as groups. A description, not the basis of the default
    interval: Wilson's interval on ICC-effective trials covers 91.5 % in the worst simulated cell.
    The unit is the task; with few tasks the estimate is noisy.

    Parameters
    ----------
    passed, n
        Passes and repeats by task; some task needs at least two repeats.

    Returns
    -------
    IntraclassCorrelation
        `.estimate`, with `.deff` and `.n_eff` from Kish's formula.

    Raises
    ------
    InvalidInput
        For impossible counts.
    NotEnoughData
        With fewer than two tasks, or no repeated task.

    References
    ----------
    Donner & Klar (2000), Design and Analysis of Cluster Randomization Trials.

    Examples
    --------
    >>> print(intraclass_correlation([3, 3, 2, 0, 1, 3, 0, 3], 3))
    ICC 0.6794, design effect 2.359, 24 trials of 8 tasks are worth 10.17
    """
    rates = task_rates(passed, n)
    k, repeats = rates.counts("the intraclass correlation")
    tasks, trials = rates.tasks, float(repeats.sum())
    if tasks < 2 or trials <= tasks:
        what = f"{tasks} tasks with {trials:g} trials do not show what is shared within a task"
        raise NotEnoughData(what, "arguments passed, n", "repeat at least one of two or more tasks")
    rate = k.sum() / trials
    msb = float(np.sum(repeats * (rates.mean - rate) ** 2) / (tasks - 1))
    msw = float(np.sum(k * (1 - rates.mean)) / (trials - tasks))
    n0 = (trials - float(np.sum(repeats**2)) / trials) / (tasks - 1)
    spread = msb + (n0 - 1) * msw
    icc = (msb - msw) / spread if spread > 0 else float("nan")
    deff = 1 + (float(np.sum(repeats**2)) / trials - 1) * icc
    return IntraclassCorrelation(
        estimate=icc,
        msb=msb,
        msw=msw,
        n0=n0,
        deff=deff,
        n_eff=trials / deff if deff != 0 else float("inf"),
        n_tasks=tasks,
        n_trials=trials,
        inputs=keep(passed=k, n=repeats),
    )
