"""Power of the paired t test for few tasks, and what repeats are worth."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from scipy.special import nctdtr, stdtrit

from agenteval.errors import InvalidInput
from agenteval.stats.power import PowerPlan
from agenteval.stats.validation import open_unit, real_number, whole_number


def _power(tasks: float, ratio: float, alpha: float) -> tuple[float, float]:
    """Return the chance to reject on the side of the effect, and on the other side."""
    df, shift = tasks - 1, ratio * sqrt(tasks)
    edge = float(stdtrit(df, 1 - alpha / 2))
    right, wrong = 1 - float(nctdtr(df, shift, edge)), float(nctdtr(df, shift, -edge))
    return (right if np.isfinite(right) else 1.0), (wrong if np.isfinite(wrong) else 0.0)


def paired_t_power(
    *,
    effect: float,
    sd: float,
    power: float | None = None,
    tasks: int | None = None,
    alpha: float = 0.05,
) -> PowerPlan:
    """Plan a paired t test exactly: the tasks an effect needs, or the power a number of tasks has.

    Noncentral t; the choice below 30 tasks, where `power_plan` is optimistic. As in R, the power of
    a number of tasks counts rejections on either side, and the number for a power those on the
    right. The task is the independent unit: `sd` is that of the task differences, repeats averaged.

    Parameters
    ----------
    effect
        Difference to detect, not 0.
    sd
        Standard deviation of the task differences, above 0.
    power, tasks
        Give one: the power wanted (then tasks are found), or the tasks there are. Neither means a
        power of 0.8.
    alpha
        Two-sided error in (0, 1).

    Returns
    -------
    PowerPlan
        `.tasks`, `.tasks_exact` and `.power`.

    Raises
    ------
    InvalidInput
        For an effect of 0, a standard deviation of 0 or less, both `power` and `tasks`.

    Examples
    --------
    >>> print(paired_t_power(effect=0.05, sd=0.4, power=0.8))
    505 tasks detect a difference of 0.05 with probability 0.8 at alpha 0.05 (noncentral_t)
    >>> round(paired_t_power(effect=0.1, sd=0.4, tasks=100).power, 4)
    0.697
    """
    alpha, sd = open_unit(alpha, "alpha"), real_number(sd, "sd", low=0)
    effect = real_number(effect, "effect")
    if effect == 0 or sd == 0:
        fix = "pass the difference worth detecting and the spread of task differences"
        raise InvalidInput("effect or sd is 0", "arguments effect, sd", fix)
    if power is not None and tasks is not None:
        what = "both power and tasks are given"
        raise InvalidInput(what, "arguments power, tasks", "leave out the one to be found")
    ratio = abs(effect) / sd
    if tasks is not None:
        exact = float(whole_number(tasks, "tasks", low=2))
        reached = sum(_power(exact, ratio, alpha))
    else:
        reached = open_unit(0.8 if power is None else power, "power")
        exact = _tasks_for(reached, ratio, alpha)
    return PowerPlan(
        tasks=ceil(exact - 1e-9),
        tasks_exact=exact,
        effect=effect,
        alpha=alpha,
        power=reached,
        method="noncentral_t",
    )


def _tasks_for(power: float, ratio: float, alpha: float) -> float:
    from scipy.optimize import brentq

    def missing(tasks: float) -> float:
        return power - _power(tasks, ratio, alpha)[0]

    if missing(2.0) <= 0:
        return 2.0
    most = 4.0
    while missing(most) > 0:
        most *= 2
    return float(brentq(missing, most / 2, most, xtol=1e-9))


def variance_reduction(*, var_between: float, var_within: float, repeats: int) -> float:
    """Say which share of the variance of a mean the repeats of each task remove.

    Against one repeat: 1 - (between + within / K) / (between + within). However many repeats, the
    variance between tasks, the independent units, stays; only more tasks shrink it.

    Parameters
    ----------
    var_between
        Variance over tasks of the true task values.
    var_within
        Mean variance between repeats of one task.
    repeats
        Repeats of each task, at least 1.

    Returns
    -------
    float
        Share in [0, 1).

    Raises
    ------
    InvalidInput
        For negative variances, both 0, or fewer than one repeat.

    References
    ----------
    Miller (2024), section 3.1, doi:10.48550/arXiv.2411.00640.

    Examples
    --------
    >>> round(variance_reduction(var_between=1 / 12, var_within=1 / 6, repeats=4), 3)
    0.5
    """
    between = real_number(var_between, "var_between", low=0)
    within = real_number(var_within, "var_within", low=0)
    count = whole_number(repeats, "repeats", low=1)
    if between + within == 0:
        fix = "pass the variances of this kind of task"
        raise InvalidInput("both variances are 0", "arguments var_between, var_within", fix)
    return 1 - (between + within / count) / (between + within)


def optimal_repeats(*, omega2: float, sigma2: float, cost_task: float, cost_repeat: float) -> float:
    """Find the number of repeats that buys the narrowest interval for a budget.

    Minimises (omega2 + sigma2 / K) (cost_task + K cost_repeat): K = sqrt(sigma2 cost_task / (omega2
    cost_repeat)), at least 1; tasks are the independent units. Where a new task costs no more than
    a repeat it is 1.

    Parameters
    ----------
    omega2, sigma2
        Variance of the difference between tasks, and between repeats (both arms added).
    cost_task
        What a further task costs before any trial (authoring, building), at least 0.
    cost_repeat
        What one repeat of a task costs, both arms, above 0.

    Returns
    -------
    float
        Repeats of each task; infinite when tasks do not differ (omega2 = 0) and cost something.

    Raises
    ------
    InvalidInput
        For negative numbers, or a `cost_repeat` of 0.

    Examples
    --------
    >>> optimal_repeats(omega2=0.05, sigma2=0.2, cost_task=9.0, cost_repeat=1.0)
    6.0
    """
    between, within = real_number(omega2, "omega2", low=0), real_number(sigma2, "sigma2", low=0)
    task = real_number(cost_task, "cost_task", low=0)
    repeat = real_number(cost_repeat, "cost_repeat", low=0)
    if repeat == 0:
        fix = "pass what one repeat costs in both arms"
        raise InvalidInput("cost_repeat is 0", "argument cost_repeat", fix)
    if between == 0:
        return float("inf") if within * task > 0 else 1.0
    return max(1.0, sqrt(within * task / (between * repeat)))
