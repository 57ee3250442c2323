"""Which tasks were gained and which were lost, and how much each of them shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.pairing import Pair
from agenteval.comparison.trial_table import Codes, Floats, TrialTable
from agenteval.comparison.wording import percent
from agenteval.stats import adjust_p_values, fisher_test, probability_better

DTYPES: dict[str, str] = {
    "suite": "str", "task_id": "str", "direction": "str",
    "rate_baseline": "float64", "rate_candidate": "float64", "difference": "float64",
    "passes_baseline": "int64", "trials_baseline": "int64",
    "passes_candidate": "int64", "trials_candidate": "int64",
    "probability": "float64", "pvalue": "float64", "pvalue_adjusted": "float64",
    "baseline_trial": "str", "candidate_trial": "str", "evidence": "str",
}  # fmt: skip


def task_flips(table: TrialTable, pair: Pair) -> pd.DataFrame:
    """Return one row a common task, losses first, the largest change first; see `HeadToHead.flips`."""
    a, b = pair.rates_a, pair.rates_b
    d = b - a
    direction = np.select([d > 0, d < 0], ["gained", "lost"], "same")
    better, pvalue = task_evidence(pair)
    frame = pd.DataFrame(
        {
            "suite": table.tasks["suite"].to_numpy()[pair.task],
            "task_id": table.tasks["task_id"].to_numpy()[pair.task],
            "direction": direction,
            "rate_baseline": a,
            "rate_candidate": b,
            "difference": d,
            "passes_baseline": pair.passes_a,
            "trials_baseline": pair.trials_a,
            "passes_candidate": pair.passes_b,
            "trials_candidate": pair.trials_b,
            "probability": np.select([d > 0, d < 0], [better, 1 - better], np.nan),
            "pvalue": pvalue,
            "pvalue_adjusted": adjust_p_values(pvalue, method="bh"),
            "baseline_trial": _example(table, pair.group_a, pair.task, _wanted(direction, "lost")),
            "candidate_trial": _example(
                table, pair.group_b, pair.task, _wanted(direction, "gained")
            ),
        }
    )
    frame["evidence"] = [_evidence(row) for row in frame.to_dict("records")]
    rank = np.select([d < 0, d > 0], [0, 1], 2)
    order = np.lexsort((np.arange(len(d)), -np.abs(d), rank))
    frame = frame.iloc[order].reset_index(drop=True).astype(DTYPES)
    frame.insert(0, "candidate", [pair.candidate] * len(frame))
    frame.insert(0, "baseline", [pair.baseline] * len(frame))
    return frame


def task_evidence(pair: Pair) -> tuple[Floats, Floats]:
    """Return for each task P(candidate's rate is higher) and Fisher's p; each distinct table once."""
    counts = np.stack([pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b], axis=1)
    rows, row = np.unique(counts, axis=0, return_inverse=True)
    better = [probability_better(a, m, b, n) for a, m, b, n in rows]
    p = [fisher_test([[a, m - a], [b, n - b]]).pvalue for a, m, b, n in rows]
    return np.array(better)[row.ravel()], np.array(p)[row.ravel()]


def _wanted(direction: np.ndarray, when: str) -> Floats:
    """Return which verdict the example should have: a pass when `when`, a fail when the reverse."""
    return np.select([direction == when, direction == "same"], [1.0, np.nan], 0.0)


def _example(table: TrialTable, group: int, tasks: Codes, wanted: Floats) -> list[Any]:
    """Return for each task the smallest trial id of a group with the verdict wanted."""
    if "trial_id" not in table.frame.columns:
        return [None] * len(tasks)
    rows = (table.group == group) & table.counted
    seen = pd.DataFrame(
        {
            "task": table.task[rows],
            "passed": table.passed[rows],
            "id": table.frame["trial_id"][rows].astype("str").to_numpy(),
        }
    )
    by_verdict = seen.groupby(["task", "passed"])["id"].min().to_dict()
    any_verdict = seen.groupby("task")["id"].min().to_dict()
    return [
        any_verdict.get(task) if np.isnan(want) else by_verdict.get((task, want))
        for task, want in zip(tasks.tolist(), wanted.tolist(), strict=True)
    ]


def _evidence(row: dict[str, Any]) -> str:
    counts = (
        f"{row['passes_baseline']}/{row['trials_baseline']} -> "
        f"{row['passes_candidate']}/{row['trials_candidate']}"
    )
    if row["direction"] == "same":
        return counts
    way = "up" if row["direction"] == "gained" else "down"
    shown = "shown" if row["pvalue_adjusted"] < 0.05 else "not shown by itself"
    return f"{counts}, {way} with probability {percent(row['probability'], digits=0)}, {shown}"
