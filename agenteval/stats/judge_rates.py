"""The true pass rate behind an imperfect judge."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats.proportion_limits import normal_quantile
from agenteval.stats.results import Interval, keep
from agenteval.stats.validation import choice, open_unit, real_number, task_column

LEAST_INFORMATION = 0.2
FEW_LABELS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectedRate(Interval):
    """A pass rate corrected for the judge's errors.

    Parameters
    ----------
    raw
        The correction before it is cut to [0, 1]; far outside, the judge's error rates do not fit.
    apparent
        The judge's own pass rate.
    """

    raw: float = float("nan")
    apparent: float = float("nan")


def rogan_gladen_interval(
    judge_pass: float,
    n: float,
    *,
    sensitivity: float,
    specificity: float,
    n_sensitivity: float,
    n_specificity: float,
    level: float = 0.95,
) -> CorrectedRate:
    """Correct a judge's pass rate for its known error rates.

    (q + sp - 1) / (se + sp - 1), with the interval of Lang & Reiczigel, which counts the
    uncertainty of sensitivity and specificity too: a nominal 95 % covers 94.5 to 98 % (simulated,
    100 to 400 trials, 30 to 100 labels a side). It assumes that the judge errs on these trials as on
    the labelled ones; where labels come from the same tasks, `ppi_mean` assumes less. The unit is
    the trial: for repeats of tasks pass effective numbers (`wilson_cluster_interval(...).n_eff`).
    With the number of trials in their place it covers below 88 %.

    Parameters
    ----------
    judge_pass, n
        Trials the judge passed, and trials judged; fractions allowed.
    sensitivity, specificity
        Share of truly good trials the judge passes, and of truly bad ones it fails, in [0, 1].
    n_sensitivity, n_specificity
        Number of good and of bad labelled trials these rest on.
    level
        Confidence level in (0, 1).

    Returns
    -------
    CorrectedRate
        `.estimate` cut to [0, 1], `.raw` before cutting, `.apparent` the judge's own rate. Where
        the judge passes (fails) fewer trials than its error rates allow, both limits are cut to the
        same end and nothing is left of the interval: it is marked degenerate, and the error rates
        do not fit these trials.

    Raises
    ------
    InvalidInput
        For impossible counts, shares outside [0, 1], NaN.
    NotEnoughData
        When sensitivity + specificity - 1 is below 0.2: such a judge says too little (our choice).

    References
    ----------
    Rogan & Gladen (1978), doi:10.1093/oxfordjournals.aje.a112510. Lang & Reiczigel (2014),
    doi:10.1016/j.prevetmed.2013.09.015.

    Examples
    --------
    >>> errors = {"sensitivity": 0.9, "specificity": 0.85}
    >>> print(rogan_gladen_interval(60, 100, **errors, n_sensitivity=50, n_specificity=50))
    0.6 [0.4416, 0.7607] at 95 %, rogan_gladen, 100 trials
    """
    z = normal_quantile(open_unit(level, "level"))
    trials = real_number(n, "n", low=0)
    passed = real_number(judge_pass, "judge_pass", low=0, high=trials)
    se = real_number(sensitivity, "sensitivity", low=0, high=1)
    sp = real_number(specificity, "specificity", low=0, high=1)
    n_se = real_number(n_sensitivity, "n_sensitivity", low=1)
    n_sp = real_number(n_specificity, "n_specificity", low=1)
    if trials == 0 or se + sp - 1 < LEAST_INFORMATION:
        what = f"sensitivity {se:g} and specificity {sp:g} over {trials:g} trials say too little"
        fix = "use a judge with sensitivity + specificity of at least 1.2"
        raise NotEnoughData(what, "arguments sensitivity, specificity, n", fix)
    apparent = passed / trials
    raw = (apparent + sp - 1) / (se + sp - 1)
    m, m_se, m_sp = trials + z * z, n_se + 2, n_sp + 2
    p, e, s = (passed + z * z / 2) / m, (n_se * se + 1) / m_se, (n_sp * sp + 1) / m_sp
    centre = (p + s - 1) / (e + s - 1)
    error_se, error_sp = e * (1 - e) / m_se, s * (1 - s) / m_sp
    shift = 2 * z * z * (centre * error_se - (1 - centre) * error_sp)
    variance = p * (1 - p) / m + centre**2 * error_se + (1 - centre) ** 2 * error_sp
    half = z * sqrt(variance) / (e + s - 1)
    low, high = np.clip([centre + shift - half, centre + shift + half], 0, 1)
    estimate = min(max(raw, 0.0), 1.0)
    return CorrectedRate(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method="rogan_gladen",
        estimand="true pass rate, judge's errors corrected",
        n_trials=trials,
        degenerate=bool(low >= high),
        raw=raw,
        apparent=apparent,
        inputs=keep(
            judge_pass=passed,
            n=trials,
            sensitivity=se,
            specificity=sp,
            n_sensitivity=n_se,
            n_specificity=n_sp,
        ),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PredictionPowered(Interval):
    """A mean from few labels and many predictions.

    Parameters
    ----------
    tuning
        How far the predictions are trusted: 0 ignores them, 1 is the untuned method.
    labelled_mean
        The mean of the labels alone.
    standard_error
        Standard error of the estimate.
    few_labels
        True below 50 labels, where the normal interval is doubtful: bootstrap over tasks instead.
    """

    tuning: float = float("nan")
    labelled_mean: float = float("nan")
    standard_error: float = float("nan")
    few_labels: bool = False


def ppi_mean(
    labels: ArrayLike,
    predictions_labelled: ArrayLike,
    predictions_unlabelled: ArrayLike,
    *,
    tune: bool = True,
    level: float = 0.95,
) -> PredictionPowered:
    """Estimate a mean from a few labels and a judge's predictions of many more (PPI, PPI++).

    The predictions' mean, corrected by their error on the labelled part. Valid however bad the
    judge is, provided the labelled part was drawn at random; tuned, it is in the long run never
    worse than the labels alone. The unit is the value: pass one value a task (mean over repeats).
    Below about 50 labels the normal interval is doubtful, and the result says so: tuned, a nominal
    95 % covers 92 % with 20 labels and 93.5 to 94.5 % from 50 on (simulated).

    Parameters
    ----------
    labels, predictions_labelled
        True values and the judge's predictions of the labelled part, same order.
    predictions_unlabelled
        The judge's predictions of the rest.
    tune
        Choose the trust in the predictions to narrow the interval (PPI++), within [0, 1].
    level
        Confidence level in (0, 1).

    Returns
    -------
    PredictionPowered
        Estimate with normal limits (not cut to [0, 1]), `.tuning`, `.labelled_mean`.

    Raises
    ------
    InvalidInput
        For NaN, columns of different length, a level outside (0, 1).
    NotEnoughData
        With fewer than two labels, or no unlabelled prediction.

    References
    ----------
    Angelopoulos et al. (2023), doi:10.1126/science.adi6000. Angelopoulos, Duchi & Zrnic (2023),
    doi:10.48550/arXiv.2311.01453.

    Examples
    --------
    >>> labels, judged = [1, 0, 1, 1, 0, 0, 1, 0] * 8, [1, 0, 1, 0, 0, 0, 1, 0] * 8
    >>> print(ppi_mean(labels, judged, [1, 0, 1] * 100))
    0.6899 [0.6032, 0.7766] at 95 %, ppi_tuned, 364 trials
    """
    level = open_unit(level, "level")
    choice(tune, "tune", (True, False))
    y, f = task_column(labels, "labels"), task_column(predictions_labelled, "predictions_labelled")
    rest = np.sort(task_column(predictions_unlabelled, "predictions_unlabelled"))
    if len(y) != len(f):
        what = f"{len(y)} labels but {len(f)} predictions of them"
        fix = "pass one prediction for each label, in the same order"
        raise InvalidInput(what, "arguments labels, predictions_labelled", fix)
    if len(y) < 2:
        raise NotEnoughData("one label has no spread", "argument labels", "label more")
    order = np.lexsort((f, y))
    y, f = y[order], f[order]
    n, more = len(y), len(rest)
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    trust = 1.0
    if tune:
        shared = float(((y - y.mean()) * (f - f.mean())).mean())
        trust = min(max(shared / ((1 + n / more) * spread), 0.0), 1.0) if spread > 0 else 0.0
    estimate = trust * float(rest.mean()) + float((y - trust * f).mean())
    error = sqrt(float((y - trust * f).var()) / n + trust**2 * float(rest.var()) / more)
    half = normal_quantile(level) * error if error > 0 else float("nan")
    return PredictionPowered(
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        level=level,
        method="ppi_tuned" if tune else "ppi",
        estimand="mean of the true values",
        n_trials=float(n + more),
        degenerate=error == 0,
        tuning=trust,
        labelled_mean=float(y.mean()),
        standard_error=error,
        few_labels=n < FEW_LABELS,
        inputs=keep(labels=y, predictions_labelled=f, predictions_unlabelled=rest),
    )
