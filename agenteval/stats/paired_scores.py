"""Difference of two arms' scores over the same tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import NotEnoughData
from agenteval.stats.cluster_intervals import t_quantile
from agenteval.stats.paired_rates import newcombe_of_rates
from agenteval.stats.results import OVER_TASKS, Difference, keep
from agenteval.stats.sign_flip import sign_flip_test
from agenteval.stats.task_rates import TaskRates
from agenteval.stats.validation import Array, open_unit, same_length, task_column


def paired_t_difference(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Difference:
    """Mean difference B - A of task values, with the paired t interval.

    The default for scores, where each task has one value an arm (the mean of its repeats). Pairing
    removes what makes tasks easy or hard for both arms. The task is the independent unit. For pass
    rates it is fine from about 50 tasks on (92.3 % at worst simulated at 95 %); below that it can
    fail badly (74.0 % with near-deterministic pairs, 10 tasks x 3): use
    `newcombe_cluster_difference`. For skewed costs use `geometric_mean_ratio`.

    Parameters
    ----------
    a, b
        One value a task and arm, tasks in the same order.
    level
        Confidence level in (0, 1).

    Returns
    -------
    Difference
        Mean of b - a, +- t(T-1) `.standard_error`, and the sign-flip mid-p. When every difference
        is the same there is no spread to build on: values in [0, 1] then get the limits of
        `newcombe_cluster_difference`, others NaN; both are marked degenerate.

    Raises
    ------
    InvalidInput
        For NaN, arms of different length, a level outside (0, 1).
    NotEnoughData
        With fewer than two tasks.

    References
    ----------
    Miller (2024), section 4.2, doi:10.48550/arXiv.2411.00640.

    Examples
    --------
    >>> print(paired_t_difference([0.2, 0.4, 0.9, 0.5], [0.4, 0.5, 0.9, 0.8]))
    0.15 [-0.05543, 0.3554] at 95 %, paired_t, 4 tasks, p = 0.125 (sign-flip mid-p)
    """
    level = open_unit(level, "level")
    first, second = task_column(a, "a"), task_column(b, "b")
    same_length(first, second, "a, b")
    if len(first) < 2:
        fix = "run more tasks: repeats cannot replace them"
        raise NotEnoughData("one task has no spread between tasks", "arguments a, b", fix)
    d = np.sort(second - first)
    error = float(d.std(ddof=1) / np.sqrt(len(d)))
    scale = float(max(np.abs(first).max(), np.abs(second).max()))
    flat = error <= 1e-14 * scale
    low, high, method = _without_spread(first, second, level) if flat else (None, None, "paired_t")
    estimate, half = float(d.mean()), t_quantile(level, len(d) - 1) * error
    return Difference(
        estimate=estimate,
        low=estimate - half if low is None else low,
        high=estimate + half if high is None else high,
        level=level,
        method=method,
        estimand=f"B - A, {OVER_TASKS}",
        n_tasks=len(d),
        degenerate=flat,
        pvalue=sign_flip_test(d).midp,
        test="sign-flip mid-p",
        standard_error=error,
        inputs=keep(a=first, b=second, differences=d),
    )


def _without_spread(a: Array, b: Array, level: float) -> tuple[float, float, str]:
    if min(a.min(), b.min()) < 0 or max(a.max(), b.max()) > 1:
        return float("nan"), float("nan"), "paired_t"
    order = np.argsort(a, kind="stable")
    newcombe = newcombe_of_rates(TaskRates(a[order]), TaskRates(b[order]), level)
    return newcombe.low, newcombe.high, newcombe.method
