"""The interval of a pass rate by the name of its method and of what it estimates."""

from __future__ import annotations

from typing import Literal

from agenteval.comparison.trial_table import Codes
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    Interval,
    bootstrap_interval,
    cluster_t_interval,
    korn_graubard_interval,
    wilson_cluster_interval,
)

Over = Literal["tasks", "runs", "trials"]
Method = Literal["wilson_cluster", "exact", "cluster_t", "bootstrap"]

ESTIMANDS: dict[str, str] = {
    "tasks": "mean over the population the tasks came from",
    "runs": "mean over exactly these tasks, if they were run again",
    "trials": "pooled rate, tasks with more repeats weigh more",
}
METHODS = ("wilson_cluster", "exact", "cluster_t", "bootstrap")


def check_method(over: str, method: str) -> None:
    """Refuse an unknown estimand or method, or two that do not go together.

    Raises
    ------
    InvalidInput
        Names the argument and what it may be.
    """
    if over not in ESTIMANDS:
        fix = f"choose one of {', '.join(map(repr, ESTIMANDS))}"
        raise InvalidInput(f"over is {over!r}", "argument over", fix)
    if method not in METHODS:
        fix = f"choose one of {', '.join(map(repr, METHODS))}"
        raise InvalidInput(f"method is {method!r}", "argument method", fix)
    possible = {"tasks": METHODS, "runs": METHODS[:1], "trials": METHODS[:2]}[over]
    if method not in possible:
        what = f"method {method!r} does not estimate over={over!r}"
        fix = f"with over={over!r} use {' or '.join(map(repr, possible))}"
        raise InvalidInput(what, "arguments over, method", fix)


def rate_interval(
    passed: Codes, n: Codes, *, level: float, over: Over, method: Method, where: str
) -> Interval:
    """Compute the interval of one group, from passes and counted trials by task.

    Raises
    ------
    NotEnoughData
        Names the group when the method needs more than it has.
    """
    try:
        if over == "trials" or method == "exact":
            return korn_graubard_interval(passed, n, level=level)
        if method == "cluster_t":
            return cluster_t_interval(passed, n, level=level)
        if method == "bootstrap":
            return bootstrap_interval(passed / n, level=level)
        return wilson_cluster_interval(passed, n, level=level, over=over)
    except NotEnoughData as error:
        raise NotEnoughData(error.what, f"{where}; {error.where}", error.fix) from error
