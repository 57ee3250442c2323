"""How often a judge that says 0.8 turns out to be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.proportions import wilson_interval
from agenteval.stats.resampling import draw_counts
from agenteval.stats.results import Interval, keep
from agenteval.stats.validation import Array, choice, same_length, task_column, whole_number

FEWEST_PER_BIN = 10
RESAMPLES = 1_000


@dataclass(frozen=True, kw_only=True, eq=False)
class CalibrationTable:
    """Predictions in bins, beside how often they came true.

    Parameters
    ----------
    low, high
        Edges of each bin in use.
    n
        Predictions in the bin.
    predicted
        Mean prediction in the bin.
    observed
        Share of true labels in the bin with its Wilson interval (arrays).
    enough
        Whether the bin holds at least 10 predictions; read no bin that does not.
    brier
        Mean squared error of the predictions, 0 is perfect.
    expected_error
        Mean absolute gap between predicted and observed, weighted by n (ECE). Noise inflates it.
    expected_error_debiased
        The same less its bootstrap bias, at least 0.
    inputs
        What went in.
    """

    low: Array
    high: Array
    n: Array
    predicted: Array
    observed: Interval
    enough: Any
    brier: float
    expected_error: float
    expected_error_debiased: float
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """Print in one line."""
        return (
            f"Brier {self.brier:.4g}, expected calibration error {self.expected_error:.4g} "
            f"({self.expected_error_debiased:.4g} debiased), {len(self.n)} bins of "
            f"{int(self.n.min())} to {int(self.n.max())}"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def calibration_table(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    bins: int = 10,
    edges: Literal["quantile", "uniform"] = "quantile",
    level: float = 0.95,
    seed: int = 0,
) -> CalibrationTable:
    """Compare predicted with observed shares, bin by bin.

    Bins of fewer than 10 predictions are marked (our choice); quantile bins avoid them. The unit is
    the prediction: for repeats of tasks the intervals are too narrow, so pass one value a task. The
    expected calibration error grows with the number of bins and with noise, even of a perfect
    judge, so it is also given less its bootstrap bias.

    Parameters
    ----------
    labels
        True outcomes, 0 or 1.
    predictions
        Predicted probabilities in [0, 1], same order.
    bins
        Number of bins, at least 1; equal quantile edges are merged, empty bins left out.
    edges
        `quantile`: bins of about the same size. `uniform`: [k/bins, (k+1)/bins), the last closed.
    level
        Level of the Wilson intervals.
    seed
        Seed of the bootstrap.

    Returns
    -------
    CalibrationTable
        One entry a bin in use, from low to high predictions.

    Raises
    ------
    InvalidInput
        For other labels than 0 and 1, predictions outside [0, 1], lengths that differ, NaN.
    NotEnoughData
        For no prediction.

    References
    ----------
    Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2. Broecker & Smith (2007),
    doi:10.1175/WAF993.1.

    Examples
    --------
    >>> predicted = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.7, 0.55, 0.6, 0.95]
    >>> labels = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1]
    >>> table = calibration_table(labels, predicted, bins=5, edges="uniform")
    >>> round(table.brier, 4), round(table.expected_error, 3)
    (0.1237, 0.255)
    """
    choice(edges, "edges", ("quantile", "uniform"))
    bins, seed = whole_number(bins, "bins", low=1), whole_number(seed, "seed", low=0)
    y = task_column(labels, "labels", low=0, high=1)
    p = task_column(predictions, "predictions", low=0, high=1)
    same_length(y, p, "labels, predictions")
    if not np.isin(y, (0, 1)).all():
        raise InvalidInput("a label is neither 0 nor 1", "argument labels", "pass true outcomes")
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    probabilities = np.arange(bins + 1) / bins
    cuts = probabilities if edges == "uniform" else np.unique(np.quantile(p, probabilities))
    place = np.minimum(np.searchsorted(cuts, p, side="right") - 1, max(len(cuts) - 2, 0))
    used, row = np.unique(place, return_inverse=True)
    n = np.bincount(row).astype(float)
    error, debiased = _expected_error(y, p, row, seed)
    return CalibrationTable(
        low=cuts[used],
        high=cuts[np.minimum(used + 1, len(cuts) - 1)],
        n=n,
        predicted=np.bincount(row, weights=p) / n,
        observed=wilson_interval(np.bincount(row, weights=y), n, level=level),
        enough=n >= FEWEST_PER_BIN,
        brier=float(np.mean((p - y) ** 2)),
        expected_error=error,
        expected_error_debiased=debiased,
        inputs=keep(labels=y, predictions=p, bins=bins, edges=edges),
    )


def _expected_error(y: Array, p: Array, row: Any, seed: int) -> tuple[float, float]:
    """Return sum |gap of the bin| / n, and the same less its mean excess over resamples."""
    gaps = np.zeros((len(y), row.max() + 1))
    gaps[np.arange(len(y)), row] = y - p
    error = float(np.abs(gaps.sum(axis=0)).sum() / len(y))
    resampled = [np.abs(w @ gaps).sum(axis=1) for w in draw_counts(len(y), RESAMPLES, seed)]
    excess = float(np.concatenate(resampled).mean() / len(y)) - error
    return error, max(error - excess, 0.0)
