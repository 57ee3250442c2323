"""Sentences that belong beside a table of rates: what would make a reader misread it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from agenteval.comparison.cells import Cells
from agenteval.comparison.trial_table import Codes, TrialTable, code_rows
from agenteval.comparison.wording import count_of, label_of, listed, percent
from agenteval.stats import fisher_test

OF_TASKS = (
    "suite",
    "task_id",
    "task_digest",
    "kind",
    "category",
    "difficulty",
    "language",
    "split",
)
MUCH_LEFT_OUT = 0.05
MUCH_CLAIMED = 0.02
SIGNIFICANT = 0.05


def group_labels(table: TrialTable) -> list[str]:
    """Name each group by the values of its columns."""
    return [label_of(row) for row in table.groups.itertuples(index=False, name=None)]


def cautions(table: TrialTable, cells: Cells, board: pd.DataFrame) -> tuple[str, ...]:
    """Collect what must be said about a scoreboard, most important first."""
    labels = group_labels(table)
    return (
        *_different_tasks(table, cells, labels),
        *_left_out(board, labels),
        *_unequal_repeats(cells, labels),
        *_several_versions(table),
        *_costs(board, labels),
        *_claims(table, labels),
    )


def _strata(table: TrialTable) -> Iterator[list[int]]:
    """Yield groups that ought to share their tasks: those alike in what belongs to the task."""
    columns = [name for name in table.by if name in OF_TASKS]
    if len(columns) == len(table.by):
        return
    if not columns:
        yield list(range(len(table.groups)))
        return
    stratum, _ = code_rows(table.groups, columns)
    for code in range(int(stratum.max()) + 1):
        yield np.flatnonzero(stratum == code).tolist()


def _different_tasks(table: TrialTable, cells: Cells, labels: Sequence[str]) -> Iterator[str]:
    for groups in _strata(table):
        sets = [_graded(cells, group) for group in groups]
        common = set.intersection(*sets)
        if all(len(tasks) == len(common) for tasks in sets):
            continue
        sizes = [f"{labels[g]} {len(s)}" for g, s in zip(groups, sets, strict=True)]
        yield (
            f"Not all were graded on the same tasks ({listed(sizes)}; {len(common)} in common): "
            "their rates answer different questions. compare() pairs on the tasks both sides have."
        )


def _graded(cells: Cells, group: int) -> set[int]:
    part = cells.of(group)
    return set(cells.task[part][cells.counted[part] > 0].tolist())


def _left_out(board: pd.DataFrame, labels: Sequence[str]) -> Iterator[str]:
    left, counted = board["left_out"].to_numpy(), board["trials"].to_numpy()
    for i in np.flatnonzero(left > MUCH_LEFT_OUT * (left + counted)).tolist():
        share = percent(left[i] / (left[i] + counted[i]), digits=0)
        band = f"{percent(board['band_low'].iloc[i])} and {percent(board['band_high'].iloc[i])}"
        yield (
            f"{labels[i]}: {share} of its trials are left out ({board['left_out_why'].iloc[i]}). "
            f"Whatever they would have done, its rate over these tasks lies between {band}."
        )
    uneven = uneven_groups(left, counted)
    if len(uneven):
        names = listed(labels[i] for i in uneven.tolist())
        yield (
            f"Trials are left out unevenly (Fisher's test, p < .05), most of all of {names}. "
            "A side that loses its hard trials looks better than it is."
        )


def uneven_groups(left: Codes, counted: Codes) -> Codes:
    """Find groups whose share left out differs from all others' (Fisher, Bonferroni, p < .05)."""
    size = len(left)
    if size < 2 or not left.any():
        return np.array([], dtype=np.int64)
    others, others_counted = left.sum() - left, counted.sum() - counted
    tests = 1 if size == 2 else size
    p = [
        fisher_test([[left[i], counted[i]], [others[i], others_counted[i]]]).pvalue * tests
        for i in range(size)
    ]
    uneven = np.flatnonzero(np.array(p) < SIGNIFICANT)
    share = left / np.maximum(left + counted, 1)
    return uneven[np.argsort(-share[uneven], kind="stable")][: 1 if size == 2 else size]


def _unequal_repeats(cells: Cells, labels: Sequence[str]) -> Iterator[str]:
    uneven = []
    for group, part in enumerate(cells.each_group(len(labels))):
        repeats = cells.counted[part][cells.counted[part] > 0]
        if len(repeats) and repeats.min() < repeats.max():
            uneven.append(f"{labels[group]} {repeats.min()} to {repeats.max()}")
    if uneven:
        yield (
            f"Repeats a task are unequal ({listed(uneven)}). Every task weighs the same; pass^k and "
            "pass@k use the smallest number."
        )


def _several_versions(table: TrialTable) -> Iterator[str]:
    if "task_digest" not in table.frame.columns:
        return
    digest, _ = pd.factorize(table.words("task_digest"))
    size = int(digest.max()) + 2
    pairs = np.unique(table.task * size + digest + 1) // size
    several = np.flatnonzero(np.bincount(pairs) > 1)
    if len(several):
        names = table.tasks["task_id"].iloc[several]
        yield (
            f"{count_of(len(several), 'task')} changed between these trials ({listed(names)}): "
            "more than one version is counted together."
        )


def _costs(board: pd.DataFrame, labels: Sequence[str]) -> Iterator[str]:
    known, trials = board["cost_known"].to_numpy(), board["trials"].to_numpy()
    partly = np.flatnonzero((known > 0) & (known < trials)).tolist()
    if partly:
        parts = [f"{labels[i]} {trials[i] - known[i]} of {trials[i]}" for i in partly]
        yield f"Cost is unknown for some trials ({listed(parts)}), so their totals are unknown too."
    source = board["cost_source"].astype("str").fillna("")
    claimed = np.flatnonzero(source.str.contains("reported").to_numpy()).tolist()
    if claimed:
        names = listed(labels[i] for i in claimed)
        yield f"Cost of {names} is what the agent reported, not a measurement."


def _claims(table: TrialTable, labels: Sequence[str]) -> Iterator[str]:
    """Where agents claim another cost than was measured, over the trials that have both numbers."""
    frame = table.frame
    if not {"cost_usd", "reported_cost_usd", "cost_source"} <= set(frame.columns):
        return
    metered = table.numbers("cost_usd")
    claimed = table.numbers("reported_cost_usd")
    measured = (table.words("cost_source") == "metered").to_numpy()
    both = measured & ~np.isnan(metered) & ~np.isnan(claimed)
    told = []
    for group, label in enumerate(labels):
        rows = both & (table.group == group)
        was, said = float(metered[rows].sum()), float(claimed[rows].sum())
        if rows.any() and abs(said - was) > MUCH_CLAIMED * was:
            told.append(f"{label} claims ${said:.4g} where ${was:.4g} was measured")
    if told:
        yield f"What agents say they cost is not what was measured: {listed(told)}."
