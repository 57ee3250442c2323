"""What a statistical procedure hands back: frozen, with its inputs, printable in one line.

Interval          an estimate with its limits
├── BootstrapInterval   + the resampling's own quantities
└── Difference          + the p-value and the two arms' own intervals
HypothesisTest    a p-value with its statistic
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

import numpy as np

Value: TypeAlias = Any
"""A float, or an array of floats where the inputs were arrays."""

OVER_TASKS = "mean over the population the tasks came from"
OVER_RUNS = "mean over exactly these tasks, run-to-run noise only"
OVER_TRIALS = "pooled rate, every trial weighs the same"
INDEPENDENT = "probability of a pass, trials independent"


def keep(**inputs: Any) -> dict[str, Any]:
    """Return the inputs a result keeps, arrays read-only; validation has copied them already."""
    kept = {}
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        kept[name] = value
    return kept


def _number(value: Value) -> str:
    return f"{float(value):.4g}"


def _rows(facts: Mapping[str, str]) -> str:
    cells = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(k)}</th><td>{escape(v)}</td></tr>'
        for k, v in facts.items()
    )
    return f"<table><tbody>{cells}</tbody></table>"


@dataclass(frozen=True, kw_only=True, eq=False)
class Interval:
    """An estimate and the limits that go with it.

    Parameters
    ----------
    estimate, low, high
        Floats, or arrays of one entry a row where the inputs were arrays. NaN limits mean that the
        data say nothing about the uncertainty, never that there is none.
    level
        Confidence (or credible) level in (0, 1).
    method
        Name of the procedure, as printed beside the number.
    estimand
        What is being estimated, in words.
    n_tasks, n_trials, n_eff
        Tasks (the independent units), trials, and the number of independent trials that would carry
        the same information; None where the procedure has no such number.
    degenerate
        True where the data have no spread and the limits come from another procedure, or from none,
        or where nothing is left of the interval.
    inputs
        What went in; arrays are read-only copies.

    Examples
    --------
    >>> from agenteval.stats import wilson_interval
    >>> result = wilson_interval(8, 10)
    >>> print(result)
    0.8 [0.4902, 0.9433] at 95 %, wilson, 10 trials
    >>> result.contains(0.5)
    True
    """

    estimate: Value
    low: Value
    high: Value
    level: float
    method: str
    estimand: str = ""
    n_tasks: int | None = None
    n_trials: Value = None
    n_eff: Value = None
    degenerate: Value = False
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def width(self) -> Value:
        """Upper limit minus lower limit."""
        return self.high - self.low

    def contains(self, value: float) -> Value:
        """Say whether `value` lies inside the limits (False where a limit is NaN)."""
        inside = (np.asarray(self.low) <= value) & (value <= np.asarray(self.high))
        return bool(inside) if np.ndim(inside) == 0 else inside

    def __iter__(self) -> Iterator[Value]:
        """Unpack as `low, high = interval`."""
        yield self.low
        yield self.high

    def _facts(self) -> dict[str, str]:
        facts = {
            "estimate": _number(self.estimate),
            "interval": f"{_number(self.low)} to {_number(self.high)} at {100 * self.level:g} %",
            "method": self.method,
            "estimand": self.estimand,
            "tasks": "" if self.n_tasks is None else str(self.n_tasks),
            "trials": "" if self.n_trials is None else f"{float(self.n_trials):g}",
            "effective trials": "" if self.n_eff is None else _number(self.n_eff),
            "degenerate": "yes: the data do not carry this interval" if self.degenerate else "",
        }
        return {k: v for k, v in facts.items() if v}

    def __str__(self) -> str:
        """Print in one line."""
        if np.ndim(self.estimate):
            count = np.size(self.estimate)
            return f"{count} intervals at {100 * self.level:g} %, {self.method}"
        limits = f"[{_number(self.low)}, {_number(self.high)}]"
        parts = [
            f"{_number(self.estimate)} {limits} at {100 * self.level:g} %",
            self.method,
            "" if self.n_tasks is None else f"{self.n_tasks} tasks",
            "" if self.n_trials is None else f"{float(self.n_trials):g} trials",
            "degenerate" if self.degenerate else "",
        ]
        return ", ".join(filter(None, parts))

    def _repr_html_(self) -> str:
        if np.ndim(self.estimate):
            return f"<p>{escape(str(self))}</p>"
        return _rows(self._facts())


@dataclass(frozen=True, kw_only=True, eq=False)
class BootstrapInterval(Interval):
    """An interval from resampling tasks.

    Parameters
    ----------
    standard_error
        Standard deviation of the resampled statistic.
    mean
        Mean of the resampled statistic; its distance from the estimate is the bootstrap bias.
    bias_correction, acceleration
        The two constants of BCa (z0 with ties at half, and a).
    quantiles
        The two probabilities at which the resampled distribution was read, one row a metric.
    resamples
        Resamples drawn, or enumerated when exhaustive.
    """

    standard_error: Value = float("nan")
    mean: Value = float("nan")
    bias_correction: Value = float("nan")
    acceleration: Value = float("nan")
    quantiles: Value = None
    resamples: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(Interval):
    """B minus A (or B over A for a ratio), with its interval and its p-value.

    Parameters
    ----------
    pvalue
        Two-sided p-value of "no difference", computed by `test`.
    test
        Name of the procedure behind the p-value.
    standard_error
        Standard error of the estimate, NaN where the method has none (score intervals).
    arm_a, arm_b
        The arms' own intervals at the same level, where the method builds on them.
    correlation
        Correlation of the arms over tasks as the method used it, NaN where it uses none.
    """

    pvalue: float = float("nan")
    test: str = ""
    standard_error: float = float("nan")
    arm_a: Interval | None = None
    arm_b: Interval | None = None
    correlation: float = float("nan")

    def _facts(self) -> dict[str, str]:
        return {**super()._facts(), "p-value": f"{self.pvalue:.3g} ({self.test})"}

    def __str__(self) -> str:
        """Print in one line."""
        return f"{super().__str__()}, p = {self.pvalue:.3g} ({self.test})"


@dataclass(frozen=True, kw_only=True, eq=False)
class HypothesisTest:
    """A p-value with the statistic it belongs to.

    Parameters
    ----------
    pvalue
        Probability, under the null hypothesis, of a statistic at least this extreme.
    statistic
        The statistic itself; what it is, is said by the function that made it.
    method
        Name of the procedure.
    alternative
        `two-sided`, `less` or `greater`.
    midp
        The mid-p value where the null distribution is discrete, else NaN.
    null
        The hypothesis tested, in words.
    estimate, low, high, level
        An effect size with its limits where the procedure has one, else NaN.
    inputs
        What went in; arrays are read-only copies.
    """

    pvalue: float
    statistic: float
    method: str
    alternative: str = "two-sided"
    midp: float = float("nan")
    null: str = ""
    estimate: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    level: float = float("nan")
    inputs: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """Print in one line."""
        parts = [
            f"p = {self.pvalue:.4g}",
            f"mid-p = {self.midp:.4g}" if self.midp == self.midp else "",
            f"statistic = {self.statistic:.4g}",
            f"{self.method}, {self.alternative}",
        ]
        return ", ".join(filter(None, parts))

    def _repr_html_(self) -> str:
        return _rows({"test": str(self), "null hypothesis": self.null})
