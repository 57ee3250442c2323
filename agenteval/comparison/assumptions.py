"""What a plan rests on: how much tasks and repeats vary, and what a trial costs and takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agenteval.comparison.cells import Cells, cells_of
from agenteval.comparison.pairing import Pair, find_side, pair_groups
from agenteval.comparison.trial_table import Floats, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import count_of, number
from agenteval.errors import InvalidInput
from agenteval.stats import variance_components

TYPICAL_OMEGA2, TYPICAL_SIGMA2 = 1 / 9, 1 / 6


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What is stated about a study instead of read from trials; it wins over the trials.

    Attributes
    ----------
    omega2
        Variance over tasks of the true difference of two arms.
    sigma2
        Mean variance between repeats of one task, in each arm.
    tasks
        Tasks that exist.
    cost_usd, trial_s
        Cost and time of one trial.
    cost_task_usd
        What a task that does not exist yet costs to write.
    alpha
        Two-sided error.
    """

    omega2: float | None = None
    sigma2: float | None = None
    tasks: int | None = None
    cost_usd: float | None = None
    trial_s: float | None = None
    cost_task_usd: float = 0.0
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("omega2", "sigma2", "cost_usd", "trial_s", "cost_task_usd"):
            value = getattr(self, name)
            if value is not None:
                at_least(value, name, 0)
        if self.tasks is not None:
            whole(self.tasks, "tasks", 1)
        share(self.alpha, "alpha")


@dataclass(frozen=True, kw_only=True, eq=False)
class Assumptions:
    """What a plan takes tasks and arms to be like.

    Attributes
    ----------
    omega2
        Variance over tasks of the true difference of two arms.
    sigma2_a, sigma2_b
        Mean variance between repeats of one task, baseline and candidate.
    source
        Where the variances come from, in words.
    tasks
        Tasks there are, None when nothing says so.
    cost, time
        US dollars and seconds of one repeat of both arms, one entry a task behind it; a single
        entry is a stated number, None means unknown.
    notes
        What a reader has to know.
    """

    omega2: float = TYPICAL_OMEGA2
    sigma2_a: float = TYPICAL_SIGMA2
    sigma2_b: float = TYPICAL_SIGMA2
    source: str = "assumed: a typical suite"
    tasks: int | None = None
    cost: Floats | None = None
    time: Floats | None = None
    notes: tuple[str, ...] = ()

    def variance(self, repeats: int) -> float:
        """Variance over tasks of a difference of means of that many repeats."""
        return self.omega2 + (self.sigma2_a + self.sigma2_b) / repeats


def assumptions_of(
    trials: TrialsLike | None, stated: Stated, *, baseline: Any, candidate: Any
) -> Assumptions:
    """Read from trials what they show, put in what was stated, assume the rest and say so."""
    found = Assumptions() if trials is None else _observed(trials, baseline, candidate)
    said = []
    if stated.omega2 is not None:
        found = replace(found, omega2=float(stated.omega2))
        said.append(f"between tasks {number(stated.omega2)}")
    if stated.sigma2 is not None:
        sigma2 = float(stated.sigma2)
        found = replace(found, sigma2_a=sigma2, sigma2_b=sigma2)
        said.append(f"between repeats {number(sigma2)}")
    if said:
        parts = [] if len(said) == len(("omega2", "sigma2")) else [found.source]
        found = replace(found, source=", ".join([*parts, f"stated: {', '.join(said)}"]))
    if stated.tasks is not None:
        found = replace(found, tasks=int(stated.tasks))
    if stated.cost_usd is not None:
        found = replace(found, cost=np.array([2.0 * stated.cost_usd]))
    if stated.trial_s is not None:
        found = replace(found, time=np.array([2.0 * stated.trial_s]))
    return found


def share(value: Any, name: str) -> float:
    """Return a share strictly between 0 and 1.

    Raises
    ------
    InvalidInput
        For anything else.
    """
    if not (isinstance(value, int | float) and 0 < value < 1):
        fix = "pass a share between 0 and 1: 0.05 is five points, 0.8 is 80 %"
        raise InvalidInput(f"{name} is {value!r}", f"argument {name}", fix)
    return float(value)


def at_least(value: Any, name: str, low: int) -> float:
    """Return a finite number of at least `low`.

    Raises
    ------
    InvalidInput
        For anything else.
    """
    if not (isinstance(value, int | float | np.integer) and low <= value < np.inf):
        fix = f"pass a number of at least {low}"
        raise InvalidInput(f"{name} is {value!r}", f"argument {name}", fix)
    return float(value)


def whole(value: Any, name: str, low: int) -> int:
    """Return a whole number of at least `low`.

    Raises
    ------
    InvalidInput
        For anything else.
    """
    if at_least(value, name, low) != int(value):
        fix = f"pass a whole number of at least {low}"
        raise InvalidInput(f"{name} is {value!r}", f"argument {name}", fix)
    return int(value)


def _observed(trials: TrialsLike, baseline: Any, candidate: Any) -> Assumptions:
    table = read_trials(trials)
    cells = cells_of(table)
    pairs = [pair for pair in _pairs(table, cells, baseline, candidate) if len(pair.task) > 1]
    groups = sorted({g for pair in pairs for g in (pair.group_a, pair.group_b)})
    groups = groups or list(range(len(table.groups)))
    paid = table.numbers("all_attempts_cost_usd")
    once = table.numbers("cost_usd")
    found = Assumptions(
        tasks=int(np.unique(cells.task[cells.counted > 0]).size) or None,
        cost=_of_both_arms(table, cells, groups, np.where(np.isnan(paid), once, paid)),
        time=_of_both_arms(table, cells, groups, table.numbers("duration_s")),
        notes=table.said,
    )
    if not pairs:
        return _one_arm(cells, found)
    if len(pairs) == 1:
        found = replace(found, tasks=len(pairs[0].task))
    return _from_pairs(pairs, found)


def _pairs(table: TrialTable, cells: Cells, baseline: Any, candidate: Any) -> list[Pair]:
    every = range(len(table.groups))
    first = [find_side(table, baseline, "baseline")] if baseline is not None else every
    other = [find_side(table, candidate, "candidate")] if candidate is not None else every
    both = {(min(a, b), max(a, b)) if len(first) > 1 else (a, b) for a in first for b in other}
    return [pair_groups(table, cells, a, b) for a, b in sorted(both) if a != b]


def _from_pairs(pairs: list[Pair], found: Assumptions) -> Assumptions:
    parts = [variance_components(p.passes_a, p.trials_a, p.passes_b, p.trials_b) for p in pairs]
    weights = [len(pair.task) for pair in pairs]
    omega2 = float(np.average([part.omega2 for part in parts], weights=weights))
    within = np.array([(part.sigma2_a, part.sigma2_b) for part in parts])
    unrepeated = bool(np.isnan(within).all())
    sigma2_a, sigma2_b = (_known_mean(column, weights) for column in within.T)
    if omega2 + sigma2_a + sigma2_b <= 0:
        note = "The trials show no spread at all, so the spread of a typical suite is assumed."
        return replace(found, notes=(note, *found.notes))
    note = (
        "No task was repeated, so the noise of repeats cannot be told from the differences "
        "between tasks: what more repeats would save is not in this plan."
    )
    across = f", {len(pairs)} pairs of arms" if len(pairs) > 1 else ""
    return replace(
        found,
        omega2=omega2,
        sigma2_a=sigma2_a,
        sigma2_b=sigma2_b,
        source=f"from these trials: {count_of(max(weights), 'task')}{across}",
        notes=(note, *found.notes) if unrepeated else found.notes,
    )


def _known_mean(values: Floats, weights: list[int]) -> float:
    known = ~np.isnan(values)
    return (
        float(np.average(values[known], weights=np.array(weights)[known])) if known.any() else 0.0
    )


def _one_arm(cells: Cells, found: Assumptions) -> Assumptions:
    """Without two arms on the same tasks only the noise of repeats can be seen."""
    again = cells.counted > 1
    note = "No two arms share two tasks, so how differently tasks react is assumed, not measured."
    if not again.any():
        return replace(found, notes=(note, *found.notes))
    n, m = cells.counted[again], cells.passes[again] / cells.counted[again]
    sigma2 = float(np.mean(np.sort(n * m * (1 - m) / (n - 1))))
    return replace(
        found,
        sigma2_a=sigma2,
        sigma2_b=sigma2,
        source=f"repeats from these trials, differences between tasks assumed ({TYPICAL_OMEGA2:.3f})",
        notes=(note, *found.notes),
    )


def _of_both_arms(
    table: TrialTable, cells: Cells, groups: list[int], values: Floats
) -> Floats | None:
    """Return what one repeat of a task costs in two arms: twice the mean over the arms that ran it."""
    use = ~np.isnan(values)
    key = len(cells.group)
    total = np.bincount(cells.row[use], weights=values[use], minlength=key)
    often = np.bincount(cells.row[use], minlength=key)
    wanted = np.isin(cells.group, groups) & (often > 0)
    if not wanted.any():
        return None
    task, mean = cells.task[wanted], total[wanted] / often[wanted]
    arms = np.bincount(task)
    sums = np.bincount(task, weights=mean)
    return np.sort(2 * sums[arms > 0] / arms[arms > 0])
