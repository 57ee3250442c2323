"""Sign-flip (paired permutation) test: exact on a lattice of any size, else by simulation."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput
from agenteval.stats.results import HypothesisTest, keep
from agenteval.stats.validation import Array, Ints, choice, task_column, whole_number

MOST_STEPS = 100_000_000
MOST_CELLS = 4_000_000
MOST_ENUMERATED = 16
CHUNK_BYTES = 2**24

Alternative = Literal["two-sided", "less", "greater"]


def _lattice(magnitudes: Array) -> Ints | None:
    """Return the magnitudes as integers of one unit, or None if they share no unit worth using."""
    distinct = np.unique(magnitudes)
    if len(distinct) > 2_000:
        return None
    unit = 1
    for value in distinct:
        fraction = Fraction(float(value)).limit_denominator(10_000)
        if abs(float(fraction) - value) > 1e-9 * max(value, 1e-3):
            return None
        unit = lcm(unit, fraction.denominator)
        if unit > 1_000_000:
            return None
    steps = np.rint(magnitudes * unit).astype(np.int64)
    steps //= max(int(np.gcd.reduce(steps)), 1)
    cells = float(steps.sum())
    return steps if cells <= MOST_CELLS and cells * len(steps) <= MOST_STEPS else None


def _lattice_tails(steps: Ints, observed: int) -> tuple[float, float, float]:
    """Return P(S < s), P(S = s), P(S > s) for S = sum of +-steps, by convolution."""
    total = int(steps.sum())
    chance = np.zeros(total + 1)
    chance[0], top = 1.0, 0
    for step in steps:
        chance[: top + 1] *= 0.5
        chance[step : top + step + 1] += chance[: top + 1].copy()
        top += step
    position = (observed + total) // 2
    below, above = chance[:position].sum(), chance[position + 1 :].sum()
    return float(below), float(chance[position]), float(above)


def _compare(sums: Array, observed: float, scale: float) -> tuple[int, int, int]:
    """Count sums below, equal to (up to rounding) and above the observed one."""
    slack = 1e-9 * scale
    below = int((sums < observed - slack).sum())
    above = int((sums > observed + slack).sum())
    return below, len(sums) - below - above, above


def _enumerated_tails(magnitudes: Array, observed: float) -> tuple[float, float, float]:
    sums = np.zeros(1)
    for value in magnitudes:
        sums = np.concatenate([sums - value, sums + value])
    below, equal, above = _compare(sums, observed, float(magnitudes.sum()))
    return below / len(sums), equal / len(sums), above / len(sums)


def _drawn_sums(magnitudes: Array, resamples: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    rows = max(1, CHUNK_BYTES // (8 * len(magnitudes)))
    parts = []
    for start in range(0, resamples, rows):
        size = (min(rows, resamples - start), len(magnitudes))
        signs = rng.integers(0, 2, size=size, dtype=np.int8)
        parts.append(magnitudes.sum() - 2 * (signs @ magnitudes))
    return np.concatenate(parts)


def _simulated(
    magnitudes: Array, observed: float, alternative: Alternative, draws: tuple[int, int]
) -> tuple[float, float]:
    """Return p and mid-p by simulation; the observed sum counts as one of the draws."""
    sums = _drawn_sums(magnitudes, *draws)
    if alternative == "two-sided":
        sums, observed = np.abs(sums), abs(observed)
    below, equal, above = _compare(sums, observed, float(magnitudes.sum()))
    extreme = below if alternative == "less" else above
    total = len(sums) + 1
    return (extreme + equal + 1) / total, (extreme + (equal + 1) / 2) / total


def _exact(
    tails: tuple[float, float, float], alternative: Alternative, *, mirrored: bool
) -> tuple[float, float]:
    """Turn P(S < s), P(S = s), P(S > s) into p and mid-p; mirrored unless s = 0."""
    below, equal, above = tails
    if alternative == "less":
        extreme, tie = below, equal
    elif alternative == "greater":
        extreme, tie = above, equal
    else:
        extreme, tie = 2 * min(below, above), 2 * equal if mirrored else equal
    return min(1.0, extreme + tie), min(1.0, extreme + tie / 2)


def sign_flip_test(
    differences: ArrayLike,
    *,
    exact: bool | Literal["auto"] = "auto",
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int = 0,
) -> HypothesisTest:
    """Test whether paired differences are as likely to favour either arm.

    Under the null hypothesis each task's difference could as well have had the other sign. Exact
    for any number of tasks when the differences lie on a lattice, as those of pass rates do, by
    convolving the distribution of the sum; by enumeration up to 16 other differences; else by
    simulation. The task is the independent unit. Written here because SciPy only simulates or
    enumerates. Mid-p is the p-value of every difference of this package: its simulated type I error
    at 5 % is 4.0 % on average and 5.5 % at most, where the exact p-value's is 2.7 %. It tests
    symmetry about zero: with skewed effects a mean of zero can be rejected a little too often.

    Parameters
    ----------
    differences
        One difference a task (B minus A).
    exact
        `auto` as above; True refuses when it would have to simulate; False always simulates.
    alternative
        `two-sided`, `less` or `greater` (than zero).
    resamples, seed
        Draws of the simulation and their seed.

    Returns
    -------
    HypothesisTest
        `.pvalue` (valid at every level), `.midp` (closer to its level), `.statistic` the sum of the
        differences. All differences zero gives 1 for both.

    Raises
    ------
    InvalidInput
        For NaN, an unknown option, or `exact=True` with more than 16 differences off any lattice.
    NotEnoughData
        For no task.

    References
    ----------
    Fisher (1935), The Design of Experiments. Mid-p: Lancaster (1961),
    doi:10.1080/01621459.1961.10482105.

    Examples
    --------
    >>> darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    >>> print(sign_flip_test(darwin))
    p = 0.05267, mid-p = 0.05182, statistic = 314, sign_flip, two-sided
    """
    choice(exact, "exact", (True, False, "auto"))
    choice(alternative, "alternative", ("two-sided", "less", "greater"))
    draws = whole_number(resamples, "resamples", low=1), whole_number(seed, "seed", low=0)
    d = np.sort(task_column(differences, "differences"))
    changed = d[d != 0]
    magnitudes = np.sort(np.abs(changed))
    p, midp, method = 1.0, 1.0, "sign_flip"
    if len(changed):
        p, midp, method = _p_values(changed, magnitudes, alternative, draws, exact=exact)
    return HypothesisTest(
        pvalue=p,
        midp=midp,
        statistic=float(d.sum()),
        method=method,
        alternative=alternative,
        null="each difference is as likely to have either sign",
        estimate=float(d.mean()),
        inputs=keep(differences=d),
    )


def _p_values(
    changed: Array,
    magnitudes: Array,
    alternative: Alternative,
    draws: tuple[int, int],
    *,
    exact: bool | Literal["auto"],
) -> tuple[float, float, str]:
    steps = None if exact is False else _lattice(magnitudes)
    if steps is not None:
        signs = np.sign(changed[np.argsort(np.abs(changed), kind="stable")]).astype(np.int64)
        observed = int((signs * steps).sum())
        tails = _lattice_tails(steps, observed)
        return (*_exact(tails, alternative, mirrored=observed != 0), "sign_flip")
    observed_sum = float(changed.sum())
    if exact is not False and len(changed) <= MOST_ENUMERATED:
        tails = _enumerated_tails(magnitudes, observed_sum)
        mirrored = abs(observed_sum) > 1e-9 * float(magnitudes.sum())
        return (*_exact(tails, alternative, mirrored=mirrored), "sign_flip")
    if exact is True:
        what = f"{len(changed)} differences share no lattice, so the exact test is out of reach"
        raise InvalidInput(what, "argument exact", 'use exact="auto" to simulate')
    p, midp = _simulated(magnitudes, observed_sum, alternative, draws)
    return p, midp, "sign_flip_simulated"
