"""The numbers of a head-to-head table: difference, what it detects, cost and time ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from agenteval.comparison.cells import Cells
from agenteval.comparison.pairing import Pair
from agenteval.comparison.ratios import cache_neutral_cost, log_means, paired_ratio
from agenteval.comparison.trial_table import Floats, TrialTable
from agenteval.comparison.verdict import detectable
from agenteval.comparison.wording import count_of, listed
from agenteval.stats import newcombe_cluster_difference


def difference_rows(
    table: TrialTable,
    cells: Cells,
    pairs: tuple[Pair, ...],
    *,
    level: float,
    margin: float,
    premiums: Mapping[str, float] | None,
) -> list[dict[str, Any]]:
    """Return one row a pair, still without adjusted p-value and verdict."""
    logs = {
        name: log_means(table, cells, table.numbers(name))
        for name in ("cost_usd", "agent_s", "duration_s")
    }
    logs["neutral"] = log_means(table, cells, cache_neutral_cost(table, premiums))
    return [
        {
            **_difference(pair, level),
            **detectable(pair, alpha=1 - level, margin=margin),
            "margin": margin,
            **_ratios(cells, pair, logs, level),
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


def _ratios(cells: Cells, pair: Pair, logs: dict[str, Floats], level: float) -> dict[str, Any]:
    found = {
        name: paired_ratio(cells, pair, values, level=level, column=name)
        for name, values in logs.items()
    }
    time = found["agent_s"] if found["agent_s"].tasks else found["duration_s"]
    named = {
        "cost_ratio": found["cost_usd"],
        "cache_neutral_ratio": found["neutral"],
        "time_ratio": time,
    }
    row: dict[str, Any] = {}
    for name, ratio in named.items():
        row |= {name: ratio.estimate, f"{name}_low": ratio.low, f"{name}_high": ratio.high}
    return row | {
        "cost_tasks": found["cost_usd"].tasks,
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
