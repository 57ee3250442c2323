"""Which arms give the most for their cost, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agenteval.comparison.cautions import group_labels
from agenteval.comparison.cells import Cells, cells_of
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import (
    By,
    Codes,
    Floats,
    TrialsLike,
    TrialTable,
    read_trials,
)
from agenteval.comparison.wording import (
    count_of,
    dollars,
    known,
    listed,
    number,
    percent,
    percent_interval,
)
from agenteval.errors import NotEnoughData
from agenteval.stats import resampled_means, wilson_cluster_interval

DTYPES: dict[str, str] = {
    "tasks": "int64", "trials": "int64", "rate": "float64", "low": "float64", "high": "float64",
    "cost": "float64", "cost_low": "float64", "cost_high": "float64",
    "on_frontier": "bool", "frontier_probability": "float64", "dominated_by": "str",
}  # fmt: skip
RESAMPLES = 10_000
CHUNK = 4_000_000
MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Frontier(Result):
    """The table of `frontier`.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    column
        What is spent: `cost_usd`, `agent_s`, ...
    without_cost
        Arms that are not in the table, since nothing is known of what they spent.
    """

    by: tuple[str, ...]
    level: float
    column: str
    without_cost: tuple[str, ...] = ()

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        spend = dollars if self.column.endswith("usd") else number
        spent = "cost" if self.column == "cost_usd" else self.column.replace("_", " ")
        heads = [*self.by, f"pass rate [{100 * self.level:g} %]", f"{spent} a trial", "on it"]
        heads += ["probability", "beaten by"]
        rows = [
            [
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                percent_interval(row["rate"], row["low"], row["high"]),
                f"{spend(row['cost'])} [{spend(row['cost_low'])}, {spend(row['cost_high'])}]",
                "yes" if row["on_frontier"] else "",
                percent(row["frontier_probability"], digits=0),
                listed(row["dominated_by"].split(", "), most=MOST_NAMED),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Cost and quality, on the tasks all share", heads, rows, len(self.by))


def frontier(
    trials: TrialsLike,
    *,
    by: By = "arm",
    column: str = "cost_usd",
    level: float = 0.95,
    seed: int = 0,
) -> Frontier:
    """Find the arms that no other arm beats on both pass rate and cost, with the uncertainty of that.

    An arm is on the frontier when no other passes at least as often for at most the same cost (and
    better in one of them). Tasks are resampled together for all arms, 10,000 times, and the share of
    resamples in which an arm is on the frontier says how sure it is: an arm with .55 may as well be
    off it. The independent unit is the task; only tasks every arm was graded on, with a known cost,
    count.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the arms.
    column
        What is spent, less being better: `cost_usd`, `agent_s`, `turns`, `output_tokens` ...
    level
        Level of the intervals, in (0, 1).
    seed
        Seed of the resampling.

    Returns
    -------
    Frontier
        `.table` has one row an arm, cheapest first: `tasks` (the same for all), `trials`, `rate`
        with `low`, `high` (Wilson over tasks); `cost`, the mean over tasks of the mean a trial, with
        percentile limits `cost_low`, `cost_high` (with heavy-tailed costs a nominal 95 % covers
        about 87); `on_frontier`, `frontier_probability`, `dominated_by` (arms that beat it).

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        With fewer than two tasks on which every arm has a known cost.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(arm, t, ok, usd) for arm, ok, usd in (("dear", True, 2.0), ("cheap", True, 1.0)) for t in "abc"]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed", "cost_usd"]).assign(status="pass")
    >>> frontier(trials).table[["arm", "cost", "on_frontier", "frontier_probability", "dominated_by"]]
         arm  cost  on_frontier  frontier_probability dominated_by
    0  cheap   1.0         True                   1.0
    1   dear   2.0        False                   0.0        cheap
    """
    table = read_trials(trials, by=by)
    cells = cells_of(table)
    spent = cells.mean(table, column)
    groups, tasks = _usable(table, cells, spent)
    cell = _grid(cells, groups, tasks)
    passes, counted, cost = cells.passes[cell], cells.counted[cell], spent[cell]
    rate = passes / counted
    means = resampled_means(np.concatenate([rate, cost]).T, resamples=RESAMPLES, seed=seed)
    rates, costs = means[:, : len(groups)], means[:, len(groups) :]
    tails = (0.5 - level / 2, 0.5 + level / 2)
    beats = beaten(rate.mean(axis=1)[None], cost.mean(axis=1)[None])[0]
    names = group_labels(table)
    rows = []
    for i in range(len(groups)):
        found = wilson_cluster_interval(passes[i], counted[i], level=level)
        low, high = np.quantile(costs[:, i], tails)
        rows.append(
            {
                "tasks": len(tasks),
                "trials": int(counted[i].sum()),
                "rate": found.estimate,
                "low": found.low,
                "high": found.high,
                "cost": float(cost[i].mean()),
                "cost_low": float(low),
                "cost_high": float(high),
                "on_frontier": not beats[i].any(),
                "frontier_probability": 0.0,
                "dominated_by": ", ".join(names[groups[j]] for j in np.flatnonzero(beats[i])),
            }
        )
    frame = pd.DataFrame(rows)[list(DTYPES)].astype(DTYPES)
    frame["frontier_probability"] = _probabilities(rates, costs)
    frame = pd.concat([table.groups.iloc[groups].reset_index(drop=True), frame], axis=1)
    return Frontier(
        table=frame.sort_values("cost", kind="stable").reset_index(drop=True),
        notes=(*table.said, *_notes(table, groups, tasks, column)),
        by=table.by,
        level=level,
        column=column,
        without_cost=_without_cost(table, groups),
    )


def beaten(rates: Floats, costs: Floats) -> NDArray[np.bool_]:
    """Say for rows of (rate, cost) by arm whether arm j beats arm i: [row, i, j].

    >>> beaten(np.array([[0.5, 0.6]]), np.array([[1.0, 1.0]])).astype(int).tolist()
    [[[0, 1], [0, 0]]]
    """
    r, c = rates[:, None, :] - rates[:, :, None], costs[:, None, :] - costs[:, :, None]
    tie = 1e-12
    return np.asarray((r >= -tie) & (c <= tie) & ((r > tie) | (c < -tie)))


def _probabilities(rates: Floats, costs: Floats) -> Floats:
    size, arms = rates.shape
    step, on = max(1, CHUNK // arms**2), np.zeros(arms)
    for start in range(0, size, step):
        part = slice(start, start + step)
        on += (~beaten(rates[part], costs[part]).any(axis=2)).sum(axis=0)
    return on / size


def _usable(table: TrialTable, cells: Cells, spent: Floats) -> tuple[Codes, Codes]:
    """Return the groups with any known cost, and the tasks on which all of them have one."""
    ok = ~np.isnan(spent) & (cells.counted > 0)
    groups = np.unique(cells.group[ok])
    counts = np.bincount(cells.task[ok], minlength=len(table.tasks))
    tasks = np.flatnonzero(counts == len(groups)) if len(groups) else np.array([], dtype=np.int64)
    if len(tasks) < 2:
        raise NotEnoughData(
            f"only {count_of(len(tasks), 'task')} with a counted trial of known cost in every arm",
            "argument trials",
            "compare arms that ran on the same tasks, with metered costs",
        )
    return groups, tasks


def _grid(cells: Cells, groups: Codes, tasks: Codes) -> Codes:
    """Return the cell of each (group, task)."""
    key = cells.group * (int(cells.task.max()) + 1) + cells.task
    wanted = groups[:, None] * (int(cells.task.max()) + 1) + tasks[None, :]
    return np.searchsorted(key, wanted)


def _without_cost(table: TrialTable, groups: Codes) -> tuple[str, ...]:
    kept = set(groups.tolist())
    return tuple(name for i, name in enumerate(group_labels(table)) if i not in kept)


def _notes(table: TrialTable, groups: Codes, tasks: Codes, column: str) -> tuple[str, ...]:
    notes = []
    missing = _without_cost(table, groups)
    if missing:
        notes.append(f"Without a known {column}, so not here: {listed(missing)}.")
    if len(tasks) < len(table.tasks):
        left = len(table.tasks) - len(tasks)
        notes.append(
            f"{count_of(left, 'task')} not graded with a known {column} in every arm: left out."
        )
    return tuple(notes)
