"""Regression gate: what an interval for B - A means against a stated margin."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.cluster_intervals import t_quantile
from agenteval.stats.results import Difference, HypothesisTest, keep
from agenteval.stats.validation import choice, open_unit, real_number, task_column

GATE_LEVEL = 0.90
Verdict = Literal["regressed", "improved", "equivalent", "non_inferior", "inconclusive"]
Mode = Literal["default", "strict"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GateVerdict:
    """What the data say about B against A, and whether a gate lets B pass.

    Parameters
    ----------
    verdict
        `regressed` (the whole interval is below zero), `improved` (above zero), `equivalent`
        (within the margin on both sides), `non_inferior` (above minus the margin), else
        `inconclusive`.
    margin
        Largest loss that would be acceptable, in the unit of the difference.
    min_effect
        A regression smaller than this is shown but does not fail the gate.
    difference
        The difference judged.
    """

    verdict: Verdict
    margin: float
    min_effect: float
    difference: Difference

    @property
    def failed(self) -> bool:
        """Whether a shown regression is at least `min_effect`."""
        return self.verdict == "regressed" and self.difference.estimate <= -self.min_effect

    def exit_code(self, *, mode: Mode = "default") -> int:
        """Return 0 to pass, 1 to fail, 3 when the data cannot tell.

        Parameters
        ----------
        mode
            `default` fails on a regression alone; `strict` passes only what is shown to be
            improved, equivalent or non-inferior (a regression below `min_effect` cannot tell).
        """
        choice(mode, "mode", ("default", "strict"))
        if self.failed:
            return 1
        undecided = self.verdict in ("regressed", "inconclusive")
        return 3 if mode == "strict" and undecided else 0

    def __str__(self) -> str:
        """Print in one line."""
        return f"{self.verdict} at a margin of {self.margin:g}: {self.difference}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


def gate_verdict(
    difference: Difference, *, margin: float = 0.05, min_effect: float = 0.0
) -> GateVerdict:
    """Judge a difference B - A against a margin, with one-sided error 5 %.

    The two-sided 90 % interval (L, U) decides, in this order: `regressed` if U < 0 (a small but
    shown regression too), `improved` if L > 0, `equivalent` if -margin < L and U < margin,
    `non_inferior` if L > -margin, otherwise `inconclusive`, also when a limit is NaN. The unit is
    that of the difference's interval, the task. It fails its reader when the minimum detectable
    effect exceeds the margin: most verdicts are then inconclusive, so print it beside the verdict.
    Compare with a fixed baseline: against the last run, many small losses pass one by one.

    Parameters
    ----------
    difference
        An interval for B - A at level 0.90; larger must be better.
    margin
        Largest acceptable loss, above 0.
    min_effect
        Smallest loss that fails the gate, at least 0.

    Returns
    -------
    GateVerdict
        `.verdict`, `.failed` and `.exit_code(mode=...)`.

    Raises
    ------
    InvalidInput
        For another level than 0.90, a margin of 0 or less, a negative `min_effect`.

    Examples
    --------
    >>> from agenteval.stats import newcombe_cluster_difference
    >>> a, b = [3] * 30, [2] * 15 + [1] * 15
    >>> gate_verdict(newcombe_cluster_difference(a, 3, b, 3, level=0.90)).verdict
    'regressed'
    """
    if not isinstance(difference, Difference) or np.ndim(difference.estimate):
        fix = "pass the result of a difference function"
        raise InvalidInput("there is no difference to judge", "argument difference", fix)
    if abs(difference.level - GATE_LEVEL) > 1e-9:
        what = f"the interval has level {difference.level:g}, the gate needs 0.90"
        fix = "recompute the difference with level=0.90"
        raise InvalidInput(what, "argument difference", fix)
    margin = real_number(margin, "margin")
    if margin <= 0:
        raise InvalidInput(f"margin is {margin:g}", "argument margin", "pass a margin above 0")
    min_effect = real_number(min_effect, "min_effect", low=0)
    return GateVerdict(
        verdict=_verdict(difference.low, difference.high, margin),
        margin=margin,
        min_effect=min_effect,
        difference=difference,
    )


def _verdict(low: float, high: float, margin: float) -> Verdict:
    if low != low or high != high:
        return "inconclusive"
    if high < 0:
        return "regressed"
    if low > 0:
        return "improved"
    if low > -margin:
        return "equivalent" if high < margin else "non_inferior"
    return "inconclusive"


def non_inferiority_test(
    differences: ArrayLike, *, margin: float, alpha: float = 0.05
) -> HypothesisTest:
    """Test whether B is worse than A by less than a margin, with the one-sided paired t test.

    The null hypothesis is that B loses at least the margin; a small p-value shows non-inferiority.
    The task is the independent unit. As the paired t, it is unreliable for pass rates of few
    near-deterministic tasks: there judge `newcombe_cluster_difference` with `gate_verdict`.

    Parameters
    ----------
    differences
        One difference B - A a task.
    margin
        Largest acceptable loss, above 0.
    alpha
        One-sided error in (0, 1); the limits are the 1 - 2 alpha interval.

    Returns
    -------
    HypothesisTest
        `.pvalue`, `.statistic` = (mean + margin) / SE, `.estimate` the mean; `.low` above -margin
        shows non-inferiority at `alpha`.

    Raises
    ------
    InvalidInput
        For NaN, a margin of 0 or less, alpha outside (0, 0.5).
    NotEnoughData
        With fewer than two tasks, or without any spread.

    References
    ----------
    Piaggio et al. (2012), doi:10.1001/jama.2012.87802.

    Examples
    --------
    >>> test = non_inferiority_test([0.0, 0.2, -0.2, 0.0, 0.4, 0.0], margin=0.1)
    >>> round(test.pvalue, 4)
    0.0525
    """
    d = np.sort(task_column(differences, "differences"))
    alpha = open_unit(alpha, "alpha")
    margin = real_number(margin, "margin")
    if margin <= 0 or alpha >= 0.5:
        fix = "pass a margin above 0 and a one-sided alpha below 0.5"
        raise InvalidInput(f"margin {margin:g} at alpha {alpha:g}", "arguments margin, alpha", fix)
    error = float(d.std(ddof=1) / np.sqrt(len(d))) if len(d) > 1 else 0.0
    if error <= 1e-14 * float(np.abs(d).max(initial=1.0)):
        what = f"{len(d)} differences have no spread"
        fix = "run more tasks, or judge newcombe_cluster_difference with gate_verdict"
        raise NotEnoughData(what, "argument differences", fix)
    mean, half = float(d.mean()), t_quantile(1 - 2 * alpha, len(d) - 1) * error
    statistic = (mean + margin) / error
    return HypothesisTest(
        pvalue=float(stdtr(len(d) - 1, -statistic)),
        statistic=statistic,
        method="non_inferiority_t",
        alternative="greater",
        null=f"B loses at least {margin:g}",
        estimate=mean,
        low=mean - half,
        high=mean + half,
        level=1 - 2 * alpha,
        inputs=keep(differences=d, margin=margin),
    )
