"""The numbers of `judge_trust`: one judge's agreement, error rates, thresholds and corrected rates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import Codes, Floats
from agenteval.errors import NotEnoughData
from agenteval.stats import (
    calibration_table,
    cell_agreement,
    paired_t_difference,
    ppi_mean,
    rogan_gladen_interval,
    wilson_cluster_interval,
)
from agenteval.stats.results import Interval

NAN = float("nan")
MOST_THRESHOLDS = 41
FEWEST_OF_A_KIND = 10
FEWEST_SHARED_TASKS = 5


def agreement_row(
    judge: Floats, truth: Floats, task: Codes, level: float, seed: int
) -> dict[str, Any]:
    """Agreement, sensitivity and specificity over labelled items."""
    both = ~np.isnan(judge) & ~np.isnan(truth)
    judge, truth, task = judge[both], truth[both], task[both]
    row: dict[str, Any] = {
        "labelled": len(truth),
        "good": int((truth == 1).sum()),
        "bad": int((truth == 0).sum()),
        "agreement": float((judge == truth).mean()) if len(truth) else NAN,
    }
    cells = (
        np.stack(
            [
                np.bincount(
                    task, weights=(judge == a) & (truth == b), minlength=int(task.max()) + 1
                )
                for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))
            ],
            axis=1,
        )
        if len(truth)
        else np.zeros((0, 4))
    )
    for measure in ("kappa", "ac1", "alpha"):
        found = (
            cell_agreement(cells, measure=measure, level=level, seed=seed) if len(truth) else None
        )
        row |= _limits(measure, found)
    row |= _limits("sensitivity", rate_of(judge == 1, truth == 1, task, level))
    row |= _limits("specificity", rate_of(judge == 0, truth == 0, task, level))
    return row


def rate_of(hits: np.ndarray, among: np.ndarray, task: Codes, level: float) -> Interval | None:
    """Share of hits among some items, tasks as the unit; None when there are none."""
    if not among.any():
        return None
    size = int(task.max()) + 1
    n = np.bincount(task[among], minlength=size)
    x = np.bincount(task[among], weights=hits[among].astype(float), minlength=size)
    return wilson_cluster_interval(x[n > 0], n[n > 0], level=level)


def threshold_rows(score: Floats, truth: Floats) -> Iterator[dict[str, float]]:
    """What other thresholds would have come to, at the scores that occur."""
    both = ~np.isnan(score) & ~np.isnan(truth)
    every = np.unique(score[~np.isnan(score)])
    if not both.any():
        return
    if len(every) > MOST_THRESHOLDS:
        every = np.unique(np.quantile(every, np.linspace(0, 1, MOST_THRESHOLDS), method="nearest"))
    good, bad = truth[both] == 1, truth[both] == 0
    for threshold in every:
        passes = score[both] >= threshold
        yield {
            "threshold": float(threshold),
            "sensitivity": float(passes[good].mean()) if good.any() else NAN,
            "specificity": float((~passes[bad]).mean()) if bad.any() else NAN,
            "agreement": float((passes == good).mean()),
            "pass_rate": float((score[~np.isnan(score)] >= threshold).mean()),
        }


def calibration_rows(
    score: Floats, truth: Floats, level: float, seed: int
) -> tuple[list[dict[str, Any]], float, float]:
    """Bins of the scores beside what people say, with Brier score and debiased calibration error."""
    both = ~np.isnan(score) & ~np.isnan(truth)
    if not both.any():
        return [], NAN, NAN
    # scores of few values would all fall into one quantile bin
    few = len(np.unique(score[both])) <= 10
    edges: Literal["uniform", "quantile"] = "uniform" if few else "quantile"
    found = calibration_table(truth[both], score[both], edges=edges, level=level, seed=seed)
    columns = {
        "from": found.low,
        "to": found.high,
        "n": found.n,
        "predicted": found.predicted,
        "observed": found.observed.estimate,
        "low": found.observed.low,
        "high": found.observed.high,
        "enough": found.enough,
    }
    arrays = {name: np.atleast_1d(values) for name, values in columns.items()}
    rows = [
        {name: values[i].item() for name, values in arrays.items()} for i in range(len(found.n))
    ]
    return rows, found.brier, found.expected_error_debiased


def corrected_row(
    judge: Floats, truth: Floats, task: Codes, errors: dict[str, Any], level: float
) -> dict[str, Any]:
    """Pass rates of one arm: the judge's, people's, and the judge's corrected in two ways.

    Parameters
    ----------
    errors
        Row of `agreement_row` whose sensitivity and specificity correct the rate.
    """
    known = ~np.isnan(judge)
    apparent = rate_of(judge == 1, known, task, level)
    row = _limits("judge_rate", apparent)
    row |= _limits("people_rate", rate_of(truth == 1, ~np.isnan(truth), task, level))
    row |= _limits("rogan_gladen", _rogan_gladen(apparent, errors, level))
    row |= _limits("ppi", _ppi(judge, truth, task, level))
    return row


def leaning_row(error: Floats, task: Codes, inside: np.ndarray, level: float) -> dict[str, Any]:
    """By how much a judge errs more in favour of one arm than of the others, over shared tasks.

    Parameters
    ----------
    error
        Judge's verdict minus people's, NaN where either is unknown.
    inside
        Which items are of the arm.
    """
    known = ~np.isnan(error)
    size = int(task.max()) + 1
    means = []
    for rows in (known & ~inside, known & inside):
        n = np.bincount(task[rows], minlength=size)
        total = np.bincount(task[rows], weights=error[rows], minlength=size)
        means.append(np.divide(total, n, out=np.full(size, NAN), where=n > 0))
    shared = ~np.isnan(means[0]) & ~np.isnan(means[1])
    if shared.sum() < FEWEST_SHARED_TASKS:
        return _limits("leaning", None)
    return _limits("leaning", paired_t_difference(means[0][shared], means[1][shared], level=level))


def _rogan_gladen(
    apparent: Interval | None, errors: dict[str, Any], level: float
) -> Interval | None:
    if apparent is None or min(errors["good"], errors["bad"]) < FEWEST_OF_A_KIND:
        return None
    n = float(apparent.n_trials if apparent.n_eff is None else apparent.n_eff)
    try:
        return rogan_gladen_interval(
            float(apparent.estimate) * n,
            n,
            sensitivity=errors["sensitivity"],
            specificity=errors["specificity"],
            n_sensitivity=errors["good"],
            n_specificity=errors["bad"],
            level=level,
        )
    except NotEnoughData:
        return None


def _ppi(judge: Floats, truth: Floats, task: Codes, level: float) -> Interval | None:
    labelled, rest = ~np.isnan(judge) & ~np.isnan(truth), ~np.isnan(judge) & np.isnan(truth)
    y, f, others = (
        _task_means(values, task, rows)
        for values, rows in ((truth, labelled), (judge, labelled), (judge, rest))
    )
    if len(y) < 2 or not len(others):
        return None
    return ppi_mean(y, f, others, level=level)


def _task_means(values: Floats, task: Codes, rows: np.ndarray) -> Floats:
    means = pd.Series(values[rows]).groupby(task[rows]).mean()
    return means.to_numpy(float)


def _limits(name: str, found: Interval | None) -> dict[str, Any]:
    if found is None:
        return {name: NAN, f"{name}_low": NAN, f"{name}_high": NAN}
    return {
        name: float(found.estimate),
        f"{name}_low": float(found.low),
        f"{name}_high": float(found.high),
    }
