"""Read the limits of one metric off its resampled statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from agenteval.stats.cluster_intervals import wilson_cluster_interval
from agenteval.stats.resampling import weighted_quantile
from agenteval.stats.validation import Array

Method = Literal["percentile", "basic", "bca", "studentised", "expanded_percentile"]
METHODS = ("percentile", "basic", "bca", "studentised", "expanded_percentile")
NONE = float("nan")


@dataclass(frozen=True, eq=False)
class MetricLimits:
    """The limits of one metric and what they were read from."""

    estimate: float
    low: float
    high: float
    method: str
    degenerate: bool = False
    standard_error: float = NONE
    mean: float = NONE
    bias_correction: float = NONE
    acceleration: float = NONE
    quantiles: tuple[float, float] = (NONE, NONE)


@dataclass(frozen=True, eq=False)
class Cloud:
    """The resampled values of one statistic, with how often each occurs (None: once)."""

    points: Array
    ways: Array | None = None

    def quantiles(self, probabilities: tuple[float, float]) -> tuple[float, float]:
        """Return type-7 quantiles."""
        if self.ways is None:
            low, high = np.quantile(self.points, probabilities)
            return float(low), float(high)
        low, high = (weighted_quantile(self.points, self.ways, q) for q in probabilities)
        return low, high

    def mean(self) -> float:
        """Return the mean over resamples."""
        return float(np.average(self.points, weights=self.ways))

    def spread(self) -> float:
        """Return the standard deviation over resamples (divisor B-1 unless all are enumerated)."""
        if self.ways is None:
            return float(self.points.std(ddof=1))
        return float(np.sqrt(np.average((self.points - self.mean()) ** 2, weights=self.ways)))

    def bias_correction(self, estimate: float) -> float:
        """Return z0, counting ties at half: means of pass rates lie on a lattice and tie often."""
        slack = 1e-9 * max(abs(estimate), float(np.ptp(self.points)))
        below = np.average(self.points < estimate - slack, weights=self.ways)
        equal = np.average(np.abs(self.points - estimate) <= slack, weights=self.ways)
        return float(ndtri(below + equal / 2))

    def flat(self, estimate: float) -> bool:
        """Say whether all resamples came out alike."""
        return bool(np.ptp(self.points) <= 1e-12 * abs(estimate))


def without_spread(
    estimate: float, column: Array, level: float, bounds: tuple[float, float] | None
) -> MetricLimits:
    """Limits without resampling: Wilson's for several equal values within `bounds`, else none."""
    if bounds is None or len(column) < 2 or column.min() < bounds[0] or column.max() > bounds[1]:
        return MetricLimits(estimate, NONE, NONE, "bootstrap_none", degenerate=True)
    bottom, width = bounds[0], bounds[1] - bounds[0]
    wilson = wilson_cluster_interval(values=(column - bottom) / width, level=level)
    low, high = bottom + width * wilson.low, bottom + width * wilson.high
    return MetricLimits(estimate, low, high, wilson.method, degenerate=True)


def quantile_limits(
    cloud: Cloud, estimate: float, acceleration: float, tasks: int, how: tuple[Method, float]
) -> MetricLimits:
    """Limits that are quantiles of the resampled statistic itself."""
    method, level = how
    z0 = cloud.bias_correction(estimate)
    probabilities = _probabilities(how, tasks, z0, acceleration)
    low, high = cloud.quantiles(probabilities)
    if method == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return MetricLimits(
        estimate=estimate,
        low=low,
        high=high,
        method=f"bootstrap_{method}",
        standard_error=cloud.spread(),
        mean=cloud.mean(),
        bias_correction=z0,
        acceleration=acceleration,
        quantiles=probabilities,
    )


def _probabilities(
    how: tuple[Method, float], tasks: int, z0: float, acceleration: float
) -> tuple[float, float]:
    method, level = how
    tails = (1 - level) / 2, (1 + level) / 2
    if method == "expanded_percentile":
        t = float(stdtrit(tasks - 1, tails[1]))
        tail = float(ndtr(-np.sqrt(tasks / (tasks - 1)) * t))
        return tail, 1 - tail
    if method != "bca" or not np.isfinite(z0):
        return tails
    moved = z0 + ndtri(np.array(tails))
    low, high = ndtr(z0 + moved / (1 - acceleration * moved))
    return float(low), float(high)


def studentised_limits(
    cloud: Cloud, mean_squares: Array, column: Array, level: float
) -> MetricLimits:
    """Limits from t* = (mean* - mean) / SE*; resamples without spread are left out."""
    tasks, estimate = len(column), float(column.mean())
    variance = (mean_squares - cloud.points**2) / (tasks - 1)
    some = variance > 1e-12 * float(column.var()) / tasks
    t = (cloud.points[some] - estimate) / np.sqrt(variance[some])
    probabilities = (1 - level) / 2, (1 + level) / 2
    low, high = Cloud(t, None if cloud.ways is None else cloud.ways[some]).quantiles(probabilities)
    error = float(column.std(ddof=1) / np.sqrt(tasks))
    return MetricLimits(
        estimate=estimate,
        low=estimate - high * error,
        high=estimate - low * error,
        method="bootstrap_studentised",
        standard_error=cloud.spread(),
        mean=cloud.mean(),
        quantiles=probabilities,
    )
