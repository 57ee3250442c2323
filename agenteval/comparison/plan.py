"""How many tasks and repeats an effect needs, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.assumptions import (
    Assumptions,
    Stated,
    assumptions_of,
    at_least,
    share,
    whole,
)
from agenteval.comparison.plan_words import plan_sentences, plan_texts
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.study import Study
from agenteval.comparison.trial_table import TrialsLike, as_frame
from agenteval.comparison.wording import UNKNOWN, points
from agenteval.errors import InvalidInput

DTYPES: dict[str, str] = {
    "repeats": "int64", "tasks": "int64", "trials": "int64", "effect": "float64",
    "power": "float64", "cost_usd": "float64", "cost_low_usd": "float64",
    "cost_high_usd": "float64", "time_s": "float64", "time_low_s": "float64",
    "time_high_s": "float64", "tasks_here": "Int64", "mde_here": "float64",
    "power_here": "float64", "within_budget": "boolean", "budget_tasks": "Int64",
    "budget_mde": "float64", "recommended": "bool",
}  # fmt: skip


FEW_TASKS = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyPlan(Result):
    """The table of `plan`, with what it rests on.

    Attributes
    ----------
    effect, power, alpha, max_cost_usd
        As given.
    assumptions
        Variances, costs and times, and where they come from.
    curves
        One row a number of repeats and of tasks: `repeats`, `tasks`, `power` (to show the effect)
        and `mde` (the difference shown with the power asked for); what `.plot()` draws.
    sides
        The arms it is for; empty when all.
    runs
        Runs of the pilot's trials, oldest first; empty without a pilot.
    """

    effect: float
    power: float
    alpha: float
    max_cost_usd: float | None
    assumptions: Assumptions
    curves: pd.DataFrame
    sides: tuple[Any, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def recommended(self) -> dict[str, Any]:
        """The row to run: within the budget and on the tasks there are where any is, then cheapest."""
        row: dict[str, Any] = self.table[self.table["recommended"]].to_dict("records")[0]
        return row

    @property
    def verdict(self) -> str:
        """What to run, in words."""
        return " ".join(plan_sentences(self.recommended, max_cost_usd=self.max_cost_usd))

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rows = [plan_texts(row) for row in self.table.to_dict("records")]
        shown = f"{points(self.effect, signed=False)} points with probability {self.power:g}"
        heads = ["", "repeats", "tasks", "trials", "cost", "time", "tasks here show"]
        heads += ["the budget's tasks", "they show"]
        return Sheet(f"To show a difference of {shown}", heads, rows, 1).without(UNKNOWN)

    def remarks(self) -> tuple[str, ...]:
        """Return the answer in words, then what it rests on."""
        return (self.verdict, f"Variances {self.assumptions.source}.", *self.notes)


def plan(
    trials: TrialsLike | None = None,
    *,
    effect: float = 0.05,
    power: float = 0.8,
    baseline: Any = None,
    candidate: Any = None,
    max_cost_usd: float | None = None,
    repeats: Sequence[int] = (1, 2, 3, 5, 10),
    stated: Stated | None = None,
) -> StudyPlan:
    """Plan a paired comparison of two arms: tasks and repeats, dollars and hours.

    More tasks help always, more repeats only against the noise between repeats of one task: below
    `omega2 / tasks` they cannot go. The independent unit is the task. Variances come from the trials
    where they show any (of the pair named, else averaged over all pairs of arms), otherwise from a
    stated or typical suite; a pilot of few tasks measures them badly, so plan again after the first
    half. From 30 tasks on the normal formula is used, below it the noncentral t; the power promised
    is then that of a t test, and the comparison's own test reaches less (planned for .80, simulated
    .73 to .78 with 7 to 23 tasks, .79 to .81 with 144 and more).

    Parameters
    ----------
    trials
        A pilot or the store's history, as for `scoreboard`; None plans from assumptions alone.
    effect
        Difference in pass rate worth detecting, as a share above 0 and below 1.
    power
        Chance to show it.
    baseline, candidate
        The arms the plan is for; all arms of the trials by default.
    max_cost_usd
        Budget.
    repeats
        Numbers of repeats to lay side by side.
    stated
        What is stated instead of read from the trials.

    Returns
    -------
    StudyPlan
        `.verdict` in words, `.plot()` the curves, and `.table` with one row a number of repeats:

        - `tasks` needed, `trials` in both arms together, the `effect` and the `power` reached;
        - `cost_usd`, `time_s` (all trials one after the other) with prediction limits `*_low_*`,
          `*_high_*`; NaN when no trial says what one costs, no limits for a stated cost;
        - `tasks_here`: tasks there are; `mde_here` what they show at these repeats, `power_here`
          their chance to show the effect;
        - `within_budget`, and `budget_tasks`, `budget_mde`: what the budget buys;
        - `recommended`: the row to run.

    Raises
    ------
    InvalidInput
        For an effect, a share, a count or a cost that means nothing, or an arm that is not there.
    NotEnoughData
        For a table without rows.

    References
    ----------
    Miller (2024), section 5, doi:10.48550/arXiv.2411.00640.

    Examples
    --------
    >>> p = plan(effect=0.03, repeats=[1], stated=Stated(omega2=1 / 9, sigma2=0))
    >>> int(p.table["tasks"].iloc[0])
    969
    >>> print(plan(effect=0.1).verdict)
    To show 10.0 points with probability 80 %: 349 tasks x 1 repeat of both arms, 698 trials.
    """
    effect, power = share(effect, "effect"), share(power, "power")
    said = stated or Stated()
    found = assumptions_of(trials, said, baseline=baseline, candidate=candidate)
    budget = None if max_cost_usd is None else at_least(max_cost_usd, "max_cost_usd", 0)
    counts = sorted({whole(count, "repeats", 1) for count in repeats})
    if not counts:
        raise InvalidInput("no number of repeats is given", "argument repeats", "pass e.g. [1, 3]")
    study = Study(found, effect, power, said.alpha, float(said.cost_task_usd))
    rows = [study.row(count, budget) for count in counts]
    best = min(range(len(rows)), key=lambda i: _rank(rows[i]))
    for i, row in enumerate(rows):
        row["recommended"] = i == best
    table = pd.DataFrame(rows)[list(DTYPES)].astype(DTYPES)
    return StudyPlan(
        table=table,
        notes=(*found.notes, *study.advice(), *_few(int(table["tasks"].min()))),
        effect=effect,
        power=power,
        alpha=said.alpha,
        max_cost_usd=budget,
        assumptions=found,
        curves=study.curves(counts, int(table["tasks"].max())),
        sides=tuple(side for side in (baseline, candidate) if side is not None),
        runs=_runs(trials),
    )


def _runs(trials: TrialsLike | None) -> tuple[str, ...]:
    frame = None if trials is None else as_frame(trials)
    named = frame is not None and "run_id" in frame.columns
    return tuple(frame["run_id"].dropna().unique().tolist()) if named else ()  # type: ignore[index]


def _rank(row: dict[str, Any]) -> tuple[bool, bool, float, int]:
    here = row["tasks_here"]
    cost = row["cost_usd"]
    spent = row["trials"] if np.isnan(cost) else cost
    return (
        row["within_budget"] is False,
        here is not None and row["tasks"] > here,
        spent,
        row["trials"],
    )


def _few(tasks: int) -> tuple[str, ...]:
    """Say that a plan of few tasks promises a little too much."""
    if tasks >= FEW_TASKS:
        return ()
    return (
        f"Below {FEW_TASKS} tasks the power promised is up to 7 points too high (simulated): add a few.",
    )
