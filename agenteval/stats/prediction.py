"""What the next tasks will come to on average, given those there were."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import NotEnoughData
from agenteval.stats.cluster_intervals import t_quantile
from agenteval.stats.results import Interval, keep
from agenteval.stats.validation import open_unit, task_column, whole_number


def prediction_interval(values: ArrayLike, *, new_tasks: int, level: float = 0.95) -> Interval:
    """Predict the mean of new tasks from the same population, for budgets.

    Mean +- t s sqrt(1/T + 1/new): wider than an interval for the population mean, since the new
    tasks vary too. The task is the independent unit. For heavy-tailed values such as costs it falls
    short, and the bill is then higher: a nominal 95 % covers 89 % from 20 log-normal tasks (sigma
    1) to 20 new ones, 84 % from 10 to 100 (simulated); with normal values it covers 95 %.

    Parameters
    ----------
    values
        One value a task: what its trials cost or took.
    new_tasks
        Tasks to predict the mean of, at least 1.
    level
        Probability that the new mean lies inside, in (0, 1).

    Returns
    -------
    Interval
        `.estimate` is the mean a task; times `new_tasks` it is the total, and so are the limits.

    Raises
    ------
    InvalidInput
        For NaN, fewer than one new task, a level outside (0, 1).
    NotEnoughData
        With fewer than two tasks.

    Examples
    --------
    >>> print(prediction_interval([0.2, 0.3, 0.1, 0.4], new_tasks=100))
    0.25 [0.04051, 0.4595] at 95 %, t_prediction, 4 tasks
    """
    x = np.sort(task_column(values, "values"))
    count, level = whole_number(new_tasks, "new_tasks", low=1), open_unit(level, "level")
    if len(x) < 2:
        raise NotEnoughData("one task has no spread", "argument values", "run more tasks")
    mean = float(x.mean())
    error = float(x.std(ddof=1)) * sqrt(1 / len(x) + 1 / count)
    half = t_quantile(level, len(x) - 1) * error
    return Interval(
        estimate=mean,
        low=mean - half,
        high=mean + half,
        level=level,
        method="t_prediction",
        estimand=f"mean of {count} new tasks",
        n_tasks=len(x),
        degenerate=error == 0,
        inputs=keep(values=x, new_tasks=count),
    )
