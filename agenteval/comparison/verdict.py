"""What a difference means in words: better, worse, no difference shown, cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

import numpy as np

from agenteval.comparison.pairing import Pair
from agenteval.comparison.trial_table import Codes
from agenteval.comparison.wording import (
    UNKNOWN,
    count_of,
    known,
    number,
    p_value,
    percent,
    points,
    size_of,
)
from agenteval.stats import minimum_detectable_effect, variance_components

Verdict = Literal["better", "worse", "no difference shown", "cannot tell"]
NAN = float("nan")


def decide_verdict(
    *, tasks: int, low: float, high: float, pvalue: float, alpha: float, margin: float
) -> Verdict:
    """Apply the rule of `head_to_head` to one difference.

    Parameters
    ----------
    tasks
        Common tasks.
    low, high
        Limits of the difference.
    pvalue
        Sign-flip mid-p, adjusted for the number of candidates.
    alpha
        1 - level.
    margin
        Difference that would matter.

    Examples
    --------
    >>> decide_verdict(tasks=40, low=0.02, high=0.2, pvalue=0.01, alpha=0.05, margin=0.05)
    'better'
    >>> decide_verdict(tasks=8, low=-0.2, high=0.2, pvalue=0.8, alpha=0.05, margin=0.05)
    'cannot tell'
    """
    if too_few(tasks, alpha):
        return "cannot tell"
    if pvalue <= alpha and low > 0:
        return "better"
    if pvalue <= alpha and high < 0:
        return "worse"
    if low < -margin and high > margin:
        return "cannot tell"
    return "no difference shown"


def too_few(tasks: int, alpha: float) -> bool:
    """Say whether no outcome on that few tasks could reach alpha (the smallest mid-p is 2^-tasks)."""
    return 0.5**tasks > alpha


def detectable(pair: Pair, *, alpha: float, margin: float) -> dict[str, Any]:
    """Return the effect this size detects with probability 0.8, and what would detect the margin.

    Returns
    -------
    dict
        `mde`, `tasks_needed` at the same repeats, `repeats_needed` on the same tasks (None when
        no number of repeats is enough); unknown when the data show no spread.
    """
    nothing = {"mde": NAN, "tasks_needed": None, "repeats_needed": None}
    if len(pair.task) < 2:
        return nothing
    parts = variance_components(pair.passes_a, pair.trials_a, pair.passes_b, pair.trials_b)
    sigma2_a, sigma2_b = (0.0 if np.isnan(s) else s for s in (parts.sigma2_a, parts.sigma2_b))
    if parts.omega2 + sigma2_a + sigma2_b <= 0:
        return nothing
    repeats_a, repeats_b = _typical(pair.trials_a), _typical(pair.trials_b)
    tasks = len(pair.task)
    mde = minimum_detectable_effect(
        tasks=tasks,
        omega2=parts.omega2,
        sigma2_a=sigma2_a,
        sigma2_b=sigma2_b,
        repeats_a=repeats_a,
        repeats_b=repeats_b,
        alpha=alpha,
    )
    # A variance of the difference v detects z sqrt(v / tasks), so the margin needs v (margin / mde)^2.
    variance = parts.omega2 + sigma2_a / repeats_a + sigma2_b / repeats_b
    for_repeats = variance * (margin / mde) ** 2 - parts.omega2
    enough = ceil((sigma2_a + sigma2_b) / for_repeats - 1e-9) if for_repeats > 1e-12 else None
    return {
        "mde": mde,
        "tasks_needed": ceil(tasks * (mde / margin) ** 2 - 1e-9),
        "repeats_needed": enough if enough is None else max(enough, 1),
    }


def _typical(repeats: Codes) -> int:
    """Return the whole number nearest to the harmonic mean, which is what noise goes by."""
    return max(1, round(len(repeats) / float(np.sum(1 / repeats))))


def sentence(row: Mapping[str, Any], *, comparisons: int = 1) -> str:
    """Say one row of a head-to-head table in words."""
    gap, level = row["difference"], f"{100 * row['level']:g} %"
    limits = f"{points(row['low'], signed=False)} to {points(row['high'], signed=False)}"
    size = pair_size(row)
    how = "as often as" if round(gap, 4) == 0 else f"{points(abs(gap), signed=False)} points"
    if how != "as often as":
        how += " more than" if gap > 0 else " less than"
    claim = f"{row['candidate']} passes {how} {row['baseline']}"
    verdict = row["verdict"]
    if verdict in ("better", "worse"):
        return f"{claim} ({level} interval {limits}, {size}): {verdict}."
    if too_few(row["tasks"], 1 - row["level"]):
        few = "1 task is" if row["tasks"] == 1 else f"{row['tasks']:,} tasks are"
        return f"{claim}, but {few} too few for any result to be shown: cannot tell."
    if verdict == "cannot tell":
        tail = ""
        if known(row["tasks_needed"]):
            margin = points(row["margin"], signed=False)
            needed = f"{count_of(row['tasks_needed'], 'task')} at these repeats"
            tail = f" Detecting {margin} points takes about {needed}."
        return (
            f"{claim}, but with {size} the {level} interval runs from {limits}: cannot tell.{tail}"
        )
    if row["low"] > 0 or row["high"] < 0:
        among = f" among {comparisons} comparisons" if comparisons > 1 else ""
        p = p_value(row["pvalue_adjusted"])
        return (
            f"{claim} ({level} interval {limits}, {size}), but the sign-flip test gives "
            f"p = {p}{among}: no difference shown."
        )
    mde = row["mde"]
    missed = f" A difference under {points(mde, signed=False)} points would often be missed."
    return (
        f"{claim} ({level} interval {limits}, {size}): no difference shown."
        f"{missed if known(mde) else ''}"
    )


def pair_size(row: Mapping[str, Any]) -> str:
    """Say how much stands behind a comparison."""
    tasks, a, b = row["tasks"], row["trials_baseline"], row["trials_candidate"]
    if a == b:
        return size_of(tasks, a)
    return f"{count_of(tasks, 'task')}, {a:,} and {b:,} trials"


def difference_texts(row: Mapping[str, Any]) -> list[str]:
    """Write what a table of differences shows: candidate, rates, difference, p, verdict, mde, n."""
    return [
        str(row["candidate"]),
        f"{percent(row['rate_baseline'])} -> {percent(row['rate_candidate'])}",
        points_interval(row),
        p_value(row["pvalue_adjusted"]),
        row["verdict"],
        points(row["mde"], signed=False),
        pair_size(row),
    ]


def points_interval(row: Mapping[str, Any]) -> str:
    """Write a difference with its limits, in points."""
    limits = f"[{points(row['low'], signed=False)}, {points(row['high'], signed=False)}]"
    return f"{points(row['difference'])} {limits}"


def times(ratio: float, low: float, high: float) -> str:
    """Write a ratio with its limits."""
    if not known(ratio):
        return UNKNOWN
    limits = f" [{number(low)}, {number(high)}]" if known(low) else ""
    return f"x{number(ratio)}{limits}"


def cost_times(row: Mapping[str, Any]) -> str:
    """Write the cost ratio of a row, and again without warm caches where it is known."""
    text = times(row["cost_ratio"], row["cost_ratio_low"], row["cost_ratio_high"])
    neutral = row["cache_neutral_ratio"]
    return f"{text}, cache-neutral x{number(neutral)}" if known(neutral) else text
