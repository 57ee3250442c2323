"""Put two sides together on the tasks both were graded on; count what is dropped on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agenteval.comparison.cells import Cells
from agenteval.comparison.trial_table import Codes, Floats, TrialTable
from agenteval.comparison.wording import listed
from agenteval.errors import InvalidInput, NotEnoughData

USED = frozenset(
    ("run_id", "trial_id", "suite", "task_id", "task_digest", "status", "passed", "error_class")
    + ("cost_usd", "agent_s", "duration_s", "score", "repeat")
    + ("first_cache_read_tokens", "model", "model_used")
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sides on their common tasks.

    Attributes
    ----------
    baseline, candidate
        Names of the sides.
    group_a, group_b
        Their positions in the groups of the trial table.
    task
        Common tasks, as positions in the tasks of the trial table, ascending.
    passes_a, trials_a, passes_b, trials_b
        Passes and counted trials by task; a is the baseline.
    dropped_a, dropped_b
        Tasks graded on one side only, and tasks that changed between the sides.
    changed
        Of these, tasks whose digest is another one on the other side.
    left_out_a, left_out_b
        Trials left out of the rate on each side.
    """

    baseline: Any
    candidate: Any
    group_a: int
    group_b: int
    task: Codes
    passes_a: Codes
    trials_a: Codes
    passes_b: Codes
    trials_b: Codes
    dropped_a: Codes
    dropped_b: Codes
    changed: Codes
    left_out_a: int
    left_out_b: int

    @property
    def rates_a(self) -> Floats:
        """Pass rate of the baseline by task."""
        return self.passes_a / self.trials_a

    @property
    def rates_b(self) -> Floats:
        """Pass rate of the candidate by task."""
        return self.passes_b / self.trials_b

    def of_tasks(self, rows: Codes) -> Pair:
        """Return the pair on some of its common tasks, given by their positions in `task`."""
        return replace(
            self,
            task=self.task[rows],
            passes_a=self.passes_a[rows],
            trials_a=self.trials_a[rows],
            passes_b=self.passes_b[rows],
            trials_b=self.trials_b[rows],
        )


def pair_groups(table: TrialTable, cells: Cells, group_a: int, group_b: int) -> Pair:
    """Pair two groups; a task counts when both sides have a counted trial of the same digest."""
    side_a, side_b = cells.of(group_a), cells.of(group_b)
    graded_a, graded_b = (cells.counted[part] > 0 for part in (side_a, side_b))
    tasks_a, tasks_b = cells.task[side_a][graded_a], cells.task[side_b][graded_b]
    both = np.intersect1d(tasks_a, tasks_b, assume_unique=True)
    changed = both[changed_tasks(table, both, group_a, group_b)]
    kept = np.setdiff1d(both, changed, assume_unique=True)
    at_a, at_b = np.searchsorted(tasks_a, kept), np.searchsorted(tasks_b, kept)
    return Pair(
        baseline=side_name(table, group_a),
        candidate=side_name(table, group_b),
        group_a=group_a,
        group_b=group_b,
        task=kept,
        passes_a=cells.passes[side_a][graded_a][at_a],
        trials_a=cells.counted[side_a][graded_a][at_a],
        passes_b=cells.passes[side_b][graded_b][at_b],
        trials_b=cells.counted[side_b][graded_b][at_b],
        dropped_a=np.setdiff1d(tasks_a, kept, assume_unique=True),
        dropped_b=np.setdiff1d(tasks_b, kept, assume_unique=True),
        changed=changed,
        left_out_a=int(cells.left_out[side_a].sum()),
        left_out_b=int(cells.left_out[side_b].sum()),
    )


def side_name(table: TrialTable, group: int) -> Any:
    """Return the value that names a group of one column."""
    return table.groups.iloc[group, 0]


def find_side(table: TrialTable, name: Any, argument: str) -> int:
    """Return the group of that name.

    Raises
    ------
    InvalidInput
        Names the sides there are.
    """
    found = np.flatnonzero((table.groups.iloc[:, 0] == name).to_numpy(dtype=bool, na_value=False))
    if not len(found):
        there = listed(table.groups.iloc[:, 0], most=12)
        what = f"no trial has {table.by[0]} {name!r}"
        raise InvalidInput(what, f"argument {argument}", f"choose one of: {there}")
    return int(found[0])


def require_common_tasks(table: TrialTable, pair: Pair) -> None:
    """Refuse a pair without a common task.

    Raises
    ------
    NotEnoughData
        Says what each side has.
    """
    if len(pair.task):
        return
    names = table.tasks["task_id"]
    raise NotEnoughData(
        f"{pair.baseline} and {pair.candidate} have no graded task in common",
        f"{pair.baseline}: {listed(names.iloc[pair.dropped_a]) or 'no counted trial'}; "
        f"{pair.candidate}: {listed(names.iloc[pair.dropped_b]) or 'no counted trial'}",
        "run both on the same tasks; tasks whose digest changed do not count as the same",
    )


def changed_tasks(table: TrialTable, tasks: Codes, group_a: int, group_b: int) -> NDArray[np.bool_]:
    """Say for each task whether the two groups share no digest of it."""
    if "task_digest" not in table.frame.columns:
        return np.zeros(len(tasks), dtype=bool)
    rows = ((table.group == group_a) | (table.group == group_b)) & table.counted
    digest, _ = pd.factorize(table.frame["task_digest"][rows])
    size, task = int(digest.max(initial=-1)) + 2, table.task[rows]
    versions = np.unique(task * size + digest + 1)
    several = np.intersect1d(tasks, np.flatnonzero(np.bincount(versions // size) > 1))
    if not len(several):
        return np.zeros(len(tasks), dtype=bool)
    side_a = table.group[rows] == group_a
    shared = np.intersect1d((task * size + digest + 1)[side_a], (task * size + digest + 1)[~side_a])
    return np.isin(tasks, np.setdiff1d(several, shared // size))


def rows_of_sides(frame: pd.DataFrame, by: str, baseline: Any, candidate: Any) -> pd.DataFrame:
    """Keep the rows of two named sides and the columns used here; all rows to name a missing side."""
    if by not in frame.columns:
        return frame
    frame = frame[[name for name in frame.columns if name == by or name in USED]]
    if baseline is None or candidate is None:
        return frame
    sides = (baseline, candidate)
    first, second = ((frame[by] == side).to_numpy(bool, na_value=False) for side in sides)
    return frame[first | second] if first.any() and second.any() else frame


def sides_of(table: TrialTable, baseline: Any, candidate: Any) -> list[tuple[int, int]]:
    """Return the groups to compare; without a baseline all pairs, without a candidate all others.

    Raises
    ------
    InvalidInput
        For a side that is not there, or two that are the same.
    NotEnoughData
        When there is nothing to compare with.
    """
    every = range(len(table.groups))
    if baseline is None:
        if candidate is not None:
            fix = "name the baseline, or leave both out to compare all pairs"
            raise InvalidInput("a candidate without a baseline", "argument baseline", fix)
        sides = [(a, b) for a in every for b in every if a < b]
    else:
        a = find_side(table, baseline, "baseline")
        others = [find_side(table, candidate, "candidate")] if candidate is not None else every
        sides = [(a, b) for b in others if b != a]
        if candidate is not None and not sides:
            fix = "name two different sides"
            raise InvalidInput(
                f"baseline and candidate are both {baseline!r}", "argument candidate", fix
            )
    if not sides:
        only = side_name(table, 0)
        fix = "run a second arm on the same tasks"
        raise NotEnoughData(f"there is only {only!r} to compare", f"column {table.by[0]}", fix)
    return sides
