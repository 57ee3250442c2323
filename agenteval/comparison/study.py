"""The arithmetic of a plan: tasks, power, detectable effect, totals, what a budget buys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor, sqrt
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.assumptions import Assumptions
from agenteval.comparison.trial_table import Floats
from agenteval.comparison.wording import count_of
from agenteval.stats import (
    minimum_detectable_effect,
    optimal_repeats,
    paired_t_power,
    power_plan,
    prediction_interval,
)

FEW_TASKS = 30


@dataclass(frozen=True)
class Study:
    """A study at given assumptions: every number of a plan.

    Attributes
    ----------
    found
        Variances, costs and times.
    effect, power, alpha, cost_task_usd
        As in `plan` and `Stated`.
    """

    found: Assumptions
    effect: float
    power: float
    alpha: float
    cost_task_usd: float

    def row(self, repeats: int, budget: float | None) -> dict[str, Any]:
        """Return one row of the table, not yet recommended."""
        tasks, here = self.tasks(repeats), self.found.tasks
        new = max(0, tasks - here) if here is not None else tasks
        cost = _total(self.found.cost, tasks, repeats) + new * self.cost_task_usd
        time = _total(self.found.time, tasks, repeats)
        row: dict[str, Any] = {
            "repeats": repeats,
            "tasks": tasks,
            "trials": 2 * tasks * repeats,
            "effect": self.effect,
            "power": self.reached(tasks, repeats),
            **dict(zip(("cost_usd", "cost_low_usd", "cost_high_usd"), cost, strict=True)),
            **dict(zip(("time_s", "time_low_s", "time_high_s"), time, strict=True)),
            "tasks_here": here,
            "mde_here": self.mde(here, repeats),
            "power_here": float("nan") if here is None else self.reached(here, repeats),
            "within_budget": None,
            "budget_tasks": None,
            "budget_mde": float("nan"),
        }
        if budget is not None and not np.isnan(cost[0]):
            bought = self.bought(repeats, budget)
            row |= {"within_budget": bool(cost[0] <= budget), "budget_tasks": bought}
            row["budget_mde"] = self.mde(bought, repeats)
        return row

    def tasks(self, repeats: int) -> int:
        """Return the tasks needed: by the normal formula, below 30 by the noncentral t."""
        variance = self.found.variance(repeats)
        tasks = power_plan(
            effect=self.effect, omega2=variance, alpha=self.alpha, power=self.power
        ).tasks
        if tasks >= FEW_TASKS:
            return tasks
        return paired_t_power(
            effect=self.effect, sd=sqrt(variance), alpha=self.alpha, power=self.power
        ).tasks

    def reached(self, tasks: int, repeats: int) -> float:
        """Return the chance to show the effect."""
        if tasks < 2:
            return 0.0
        sd = sqrt(self.found.variance(repeats))
        return paired_t_power(effect=self.effect, sd=sd, tasks=tasks, alpha=self.alpha).power

    def mde(self, tasks: int | None, repeats: int) -> float:
        """Return the difference shown with the power asked for, NaN without tasks, at most 1."""
        if not tasks:
            return float("nan")
        found = minimum_detectable_effect(
            tasks=tasks,
            omega2=self.found.variance(repeats),
            alpha=self.alpha,
            power=self.power,
        )
        return min(found, 1.0)

    def bought(self, repeats: int, budget: float) -> int:
        """Return how many tasks a budget pays for; those that exist cost nothing to write."""
        each = 0.0 if self.found.cost is None else repeats * float(self.found.cost.mean())
        here = self.found.tasks or 0
        if each == 0:
            return here if self.cost_task_usd else np.iinfo(np.int32).max
        if budget <= here * each or self.cost_task_usd == 0:
            return floor(budget / each + 1e-9)
        return here + floor((budget - here * each) / (each + self.cost_task_usd) + 1e-9)

    def advice(self) -> Iterator[str]:
        """Say which number of repeats is cheapest where new tasks have to be written."""
        if not self.cost_task_usd or self.found.cost is None or not self.found.cost.mean():
            return
        best = optimal_repeats(
            omega2=self.found.omega2,
            sigma2=self.found.sigma2_a + self.found.sigma2_b,
            cost_task=self.cost_task_usd,
            cost_repeat=float(self.found.cost.mean()),
        )
        if np.isfinite(best):
            yield f"With new tasks at that price, about {count_of(round(best), 'repeat')} of each are cheapest."

    def curves(self, counts: list[int], most: int) -> pd.DataFrame:
        """Return power and detectable effect over numbers of tasks, evenly spread on a log scale."""
        end = max(2 * most, 2 * (self.found.tasks or 0), 20)
        grid = np.unique(np.geomspace(2, end, 60).round().astype(int)).tolist()
        rows = [
            (count, tasks, self.reached(tasks, count), self.mde(tasks, count))
            for count in counts
            for tasks in grid
        ]
        return pd.DataFrame(rows, columns=["repeats", "tasks", "power", "mde"])


def _total(values: Floats | None, tasks: int, repeats: int) -> Floats:
    """Return the total of new tasks and its limits, NaN where unknown; nothing is paid back."""
    if values is None:
        return np.full(3, np.nan)
    if len(values) == 1:
        return np.array([values[0] * tasks * repeats, np.nan, np.nan])
    found = prediction_interval(values, new_tasks=tasks)
    limits = np.array([found.estimate, max(found.low, 0.0), found.high])
    return limits * tasks * repeats
