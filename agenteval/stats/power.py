"""How many tasks and repeats an effect needs, and what a plan can detect."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.task_rates import unsorted_rates
from agenteval.stats.validation import open_unit, real_number, same_length, whole_number


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerPlan:
    """How many tasks an effect needs.

    Parameters
    ----------
    tasks
        Whole tasks needed.
    tasks_exact
        The same before rounding up.
    effect, alpha, power
        The difference to detect, the two-sided error and the chance to detect it.
    method
        `normal` or `noncentral_t`.
    """

    tasks: int
    tasks_exact: float
    effect: float
    alpha: float
    power: float
    method: str

    def __float__(self) -> float:
        """Return the exact number of tasks."""
        return self.tasks_exact

    def __str__(self) -> str:
        """Print in one line."""
        return (
            f"{self.tasks} tasks detect a difference of {self.effect:g} with probability "
            f"{self.power:.3g} at alpha {self.alpha:g} ({self.method})"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def _variance(omega2: float, sigma2: tuple[float, float], repeats: tuple[int, int]) -> float:
    between = real_number(omega2, "omega2", low=0)
    for value, count, arm in zip(sigma2, repeats, "ab", strict=True):
        within = real_number(value, f"sigma2_{arm}", low=0)
        between += within / whole_number(count, f"repeats_{arm}", low=1)
    if between <= 0:
        what = "the difference is planned to have no variance"
        fix = "estimate omega2 and sigma2 with variance_components"
        raise InvalidInput(what, "arguments omega2, sigma2_a, sigma2_b", fix)
    return between


def power_plan(
    *,
    effect: float,
    omega2: float,
    sigma2_a: float = 0.0,
    sigma2_b: float = 0.0,
    repeats_a: int = 1,
    repeats_b: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> PowerPlan:
    """Plan the tasks a paired comparison needs to detect an effect.

    (z_alpha/2 + z_beta)^2 (omega2 + sigma2_a / K_a + sigma2_b / K_b) / effect^2. The task is the
    independent unit: repeats shrink the sigma2 part alone, never omega2. The normal approximation
    is a little optimistic below 30 tasks: there use `paired_t_power`.

    Parameters
    ----------
    effect
        Difference to detect, not 0, in the unit of the values.
    omega2
        Variance over tasks of the true difference: Var(x_A) + Var(x_B) - 2 Cov.
    sigma2_a, sigma2_b
        Mean variance between repeats of one task.
    repeats_a, repeats_b
        Repeats of each task.
    alpha, power
        Two-sided error and the chance to detect the effect, in (0, 1).

    Returns
    -------
    PowerPlan
        `.tasks`, and `.tasks_exact` before rounding up.

    Raises
    ------
    InvalidInput
        For an effect of 0, negative variances, no variance at all, shares outside (0, 1).

    References
    ----------
    Miller (2024), equation 9, doi:10.48550/arXiv.2411.00640.

    Examples
    --------
    >>> print(power_plan(effect=0.03, omega2=1 / 9))
    969 tasks detect a difference of 0.03 with probability 0.8 at alpha 0.05 (normal)
    """
    effect = _effect(effect)
    variance = _variance(omega2, (sigma2_a, sigma2_b), (repeats_a, repeats_b))
    exact = (_normal_sum(alpha, power) / effect) ** 2 * variance
    return PowerPlan(
        tasks=ceil(exact - 1e-9),
        tasks_exact=exact,
        effect=effect,
        alpha=alpha,
        power=power,
        method="normal",
    )


def _effect(effect: float) -> float:
    number = real_number(effect, "effect")
    if number == 0:
        raise InvalidInput("effect is 0", "argument effect", "pass the difference worth detecting")
    return number


def _normal_sum(alpha: float, power: float) -> float:
    return float(ndtri(1 - open_unit(alpha, "alpha") / 2) + ndtri(open_unit(power, "power")))


def minimum_detectable_effect(
    *,
    tasks: int,
    omega2: float,
    sigma2_a: float = 0.0,
    sigma2_b: float = 0.0,
    repeats_a: int = 1,
    repeats_b: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Smallest difference that a plan detects with the given power.

    The inverse of `power_plan`. A gate whose margin is smaller than this cannot decide. The task is
    the independent unit, so repeats cannot push it below what omega2 / tasks allows.

    Parameters
    ----------
    tasks
        Number of tasks, at least 1.
    omega2, sigma2_a, sigma2_b, repeats_a, repeats_b, alpha, power
        As in `power_plan`.

    Returns
    -------
    float
        The difference, in the unit of the values.

    Raises
    ------
    InvalidInput
        For fewer than one task, negative variances, no variance at all, shares outside (0, 1).

    References
    ----------
    Miller (2024), equation 10, doi:10.48550/arXiv.2411.00640.

    Examples
    --------
    >>> plan = {"tasks": 198, "omega2": 1 / 9, "sigma2_a": 1 / 6, "sigma2_b": 1 / 6}
    >>> round(minimum_detectable_effect(**plan), 4)
    0.1327
    >>> round(minimum_detectable_effect(**plan, repeats_a=10, repeats_b=10), 4)
    0.0757
    """
    count = whole_number(tasks, "tasks", low=1)
    variance = _variance(omega2, (sigma2_a, sigma2_b), (repeats_a, repeats_b))
    return _normal_sum(alpha, power) * sqrt(variance / count)


@dataclass(frozen=True, kw_only=True, eq=False)
class VarianceComponents:
    """What varies between tasks and what varies between repeats of one task.

    Parameters
    ----------
    omega2
        Variance over tasks of the true difference, the noise of the repeats taken out.
    sigma2_a, sigma2_b
        Mean variance between repeats of one task, NaN without any repeated task.
    n_tasks
        Tasks behind it.
    """

    omega2: float
    sigma2_a: float
    sigma2_b: float
    n_tasks: int

    def __str__(self) -> str:
        """Print in one line."""
        return (
            f"variance {self.omega2:.4g} between tasks, {self.sigma2_a:.4g} (A) and "
            f"{self.sigma2_b:.4g} (B) between repeats, {self.n_tasks} tasks"
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>"


def variance_components(
    passed_a: ArrayLike, n_a: ArrayLike, passed_b: ArrayLike, n_b: ArrayLike
) -> VarianceComponents:
    """Split the variance of a paired difference into tasks and repeats, for planning.

    omega2 = max(0, Var(d) - noise of the repeats). Without the subtraction the repeats' noise is
    counted twice and plans come out too large. The task is the independent unit. Without repeats
    the noise cannot be told apart: omega2 is then all of Var(d), right for plans at one repeat.

    Parameters
    ----------
    passed_a, n_a, passed_b, n_b
        Passes and repeats of each arm by task, tasks in the same order.

    Returns
    -------
    VarianceComponents
        Variances of rates, ready for `power_plan`; an arm without repeats has sigma2 = NaN.

    Raises
    ------
    InvalidInput
        For impossible counts or arms of different length.
    NotEnoughData
        With fewer than two tasks.

    Examples
    --------
    >>> parts = variance_components([3, 2, 0, 1], 3, [3, 3, 1, 1], 3)
    >>> round(parts.omega2, 4), round(parts.sigma2_a, 4), round(parts.sigma2_b, 4)
    (0.0, 0.1667, 0.1667)
    """
    a, b = unsorted_rates(passed_a, n_a), unsorted_rates(passed_b, n_b)
    same_length(a.mean, b.mean, "passed_a, passed_b")
    if a.tasks < 2:
        raise NotEnoughData("one task has no spread", "argument passed_a", "run more tasks")
    omega2, within = float(np.var(np.sort(b.mean - a.mean), ddof=1)), []
    for rates in (a, b):
        _, repeats = rates.counts("variance components")
        again = repeats > 1
        m, k = rates.mean[again], repeats[again]
        sigma2 = float(np.mean(np.sort(k * m * (1 - m) / (k - 1)))) if again.any() else float("nan")
        within.append(sigma2)
        omega2 -= sigma2 * float(np.mean(np.sort(1 / repeats))) if again.any() else 0.0
    return VarianceComponents(
        omega2=max(0.0, omega2), sigma2_a=within[0], sigma2_b=within[1], n_tasks=a.tasks
    )
