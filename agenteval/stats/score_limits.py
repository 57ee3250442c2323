"""Limits of a difference by inverting a score test."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, sqrt

EDGE = 1e-12


def score_of(gap: float, variance: float) -> float:
    """Return gap / sd, infinite where the variance is 0, and 0 where there is no gap."""
    if gap == 0:
        return 0.0
    return gap / sqrt(variance) if variance > 0 else copysign(inf, gap)


def invert_score(score: Callable[[float], float], estimate: float, z: float) -> tuple[float, float]:
    """Return the differences in [-1, 1] at which a score falling in them equals +z and -z."""
    from scipy.optimize import brentq

    def limit(end: float, target: float) -> float:
        inside = end - EDGE if end > 0 else end + EDGE
        gap = (score(inside) - target) * (-1 if end > 0 else 1)
        if abs(estimate - end) <= EDGE or gap <= 0:
            return end
        return float(brentq(lambda x: score(x) - target, inside, estimate, xtol=1e-12))

    return limit(-1.0, z), limit(1.0, -z)
