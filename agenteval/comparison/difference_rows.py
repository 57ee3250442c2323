"""The numbers of a head-to-head table: difference, what it detects, cost and time ratios."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from agenteval.comparison.cells import Cells
from agenteval.comparison.pairing import Pair
from agenteval.comparison.ratios import log_means, paired_ratio
from agenteval.comparison.trial_table import Floats, TrialTable
from agenteval.comparison.verdict import detectable
from agenteval.comparison.wording import count_of, listed
from agenteval.stats import newcombe_cluster_difference


def difference_rows(
    table: TrialTable, cells: Cells, pairs: tuple[Pair, ...], *, level: float, margin: float
) -> list[dict[str, Any]]:
    """Return one row a pair, still without adjusted p-value and verdict."""
    cost = log_means(table, cells, "cost_usd")
    logs = {name: log_means(table, cells, name) for name in ("agent_s", "duration_s")}
    return [
        {
            **_difference(pair, level),
            **detectable(pair, alpha=1 - level, margin=margin),
            "margin": margin,
            **_ratios(cells, pair, cost, logs, level),
        }
        for pair in pairs
    ]


def _difference(pair: Pair, level: float) -> dict[str, Any]:
    found = newcombe_cluster_difference(
        pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b, level=level
    )
    return {
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        "tasks": len(pair.task),
        "trials_baseline": int(pair.trials_a.sum()),
        "trials_candidate": int(pair.trials_b.sum()),
        "rate_baseline": float(pair.rates_a.mean()),
        "rate_candidate": float(pair.rates_b.mean()),
        "difference": found.estimate,
        "low": found.low,
        "high": found.high,
        "level": level,
        "method": found.method,
        "pvalue": found.pvalue,
        "tasks_dropped_baseline": len(pair.dropped_a),
        "tasks_dropped_candidate": len(pair.dropped_b),
        "left_out_baseline": pair.left_out_a,
        "left_out_candidate": pair.left_out_b,
    }


def _ratios(
    cells: Cells, pair: Pair, cost: Floats, times: dict[str, Floats], level: float
) -> dict[str, Any]:
    money = paired_ratio(cells, pair, cost, level=level, column="cost_usd")
    time = paired_ratio(cells, pair, times["agent_s"], level=level, column="agent_s")
    if time.tasks == 0:
        time = paired_ratio(cells, pair, times["duration_s"], level=level, column="duration_s")
    return {
        "cost_ratio": money.estimate,
        "cost_ratio_low": money.low,
        "cost_ratio_high": money.high,
        "cost_tasks": money.tasks,
        "time_ratio": time.estimate,
        "time_ratio_low": time.low,
        "time_ratio_high": time.high,
        "time_tasks": time.tasks,
        "time_column": time.column if time.tasks else None,
    }


def pairing_notes(table: TrialTable, pairs: tuple[Pair, ...]) -> Iterator[str]:
    """Name the tasks that could not be paired, and why."""
    names = table.tasks["task_id"]
    changed = np.unique(np.concatenate([pair.changed for pair in pairs]))
    if len(changed):
        which = f"{count_of(len(changed), 'task')} ({listed(names.iloc[changed])})"
        yield f"{which} changed between the sides, so they are not compared."
    for pair in pairs:
        a = np.setdiff1d(pair.dropped_a, pair.changed)
        b = np.setdiff1d(pair.dropped_b, pair.changed)
        for side, tasks in ((pair.baseline, a), (pair.candidate, b)):
            if len(tasks):
                which = f"{count_of(len(tasks), 'task')} ({listed(names.iloc[tasks])})"
                yield f"{which} graded for {side} only in {pair.baseline} against {pair.candidate}: not compared."
