"""All charts of the package over one table of trials, for the tests that hold for each of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from agenteval import charts, comparison

NAMES = (
    "scoreboard", "difference", "matrix", "matrix with flips", "flips", "changes", "frontier",
    "reliability", "limits", "distribution", "agreement", "flakiness", "trend", "slices",
    "sensitivity", "parity", "errors", "signs", "tokens", "tags", "plan", "sequence", "timeline",
    "steps", "judge trust", "judge rates", "judge health", "gate",
)  # fmt: skip
LOOKS = pd.DataFrame(
    {
        "look": [1, 2],
        "tasks": [10, 20],
        "trials": [60, 120],
        "difference": [0.2, 0.3],
        "low": [-0.1, 0.05],
        "high": [0.5, 0.5],
        "answer": ["", "yes"],
    }
)


def drawings(
    trials: pd.DataFrame,
    events: pd.DataFrame,
    other: pd.DataFrame,
    judged: tuple[pd.DataFrame, pd.DataFrame],
) -> dict[str, Callable[..., Any]]:
    """Ask every question once; return for each chart a function that draws it in a theme."""
    pair = comparison.compare(trials, baseline="arm-0")
    agreement = comparison.agreement(trials)
    matrix = comparison.matrix(trials)
    trust = comparison.judge_trust(*judged)
    tags = trials[["run_id", "trial_id"]].iloc[::5]
    tags = tags.assign(text=np.where(np.arange(len(tags)) % 3, "no tests run", "wrong file"))
    turned = trials.copy()
    lost = turned["task_id"].eq("task-1") & turned["passed"].fillna(value=False)
    turned.loc[lost, ["passed", "status"]] = [False, "fail"]
    health = judged[0].assign(reply="...", self_judged=False, on_judge_error="zero")
    health["injection"] = [[]] * len(health)
    health["score"] = health["score"].mask(health.index % 9 == 0)
    results = {
        "scoreboard": comparison.scoreboard(trials),
        "difference": pair,
        "matrix": matrix,
        "changes": comparison.against(turned, trials),
        "frontier": comparison.frontier(trials),
        "reliability": comparison.reliability(trials),
        "limits": comparison.limits(trials),
        "distribution": comparison.distribution(trials),
        "agreement": agreement,
        "trend": comparison.trend(trials),
        "slices": comparison.slices(trials, baseline="arm-0"),
        "sensitivity": comparison.sensitivity(trials, baseline="arm-0", candidate="arm-1"),
        "parity": comparison.parity(trials, baseline="arm-0"),
        "errors": comparison.error_classes(trials),
        "signs": comparison.warning_signs(trials),
        "tokens": comparison.token_buckets(trials),
        "tags": comparison.tag_counts(trials, tags),
        "plan": comparison.plan(
            effect=0.1, repeats=[1, 2, 3], stated=comparison.Stated(tasks=24)
        ),
        "timeline": comparison.timeline(events),
        "steps": comparison.diff(events, other),
        "judge trust": trust,
        "judge health": comparison.judge_health(health),
        "gate": comparison.gate(comparison.baseline_of(turned), comparison.baseline_of(trials)),
    }  # fmt: skip
    made: dict[str, Callable[..., Any]] = {name: result.plot for name, result in results.items()}
    made["matrix with flips"] = lambda **o: charts.task_matrix_chart(matrix, flips=pair, **o)
    made["flips"] = lambda **o: charts.flips_chart(pair, **o)
    made["flakiness"] = lambda **o: charts.flakiness_chart(agreement, **o)
    made["judge rates"] = lambda **o: charts.judge_rates_chart(trust, **o)
    made["sequence"] = lambda **o: charts.sequence_chart(LOOKS, question="b better than a", **o)
    return made
