"""Is a judge to be trusted, in words: the rule, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agenteval.comparison.wording import count_of, known, number, percent, points

# Our choices; README says so.
ENOUGH_LABELS = 50
FEWEST_LABELS = 20
FEWEST_OF_A_KIND = 10
LEAST_KAPPA = 0.4
LEAST_INFORMATION = 0.2
MOST_UNSCORED = 0.1
LEAST_LEANING = 0.05
TRUSTED, NOT_TRUSTED, UNCLEAR = "to be trusted", "not to be trusted", "cannot be told"


def trust_verdict(
    row: dict[str, Any], arms: Sequence[dict[str, Any]]
) -> tuple[str, tuple[str, ...]]:
    """Verdict on one judge, and why.

    It is not to be trusted when a tenth of its replies hold no score, when its agreement with people
    is below a kappa of 0.4 with confidence, when sensitivity + specificity is below 1.2, or when it
    favours an arm by five points or more, with confidence; this rests on 20 labels at least. It is to be trusted when none of that holds and
    50 labels or more, ten of each kind, put kappa above 0.4 with confidence. Else it cannot be told.

    Parameters
    ----------
    row
        Row of the trust table.
    arms
        Its rows of the table by arm.
    """
    against = _against(row, arms)
    if against:
        return NOT_TRUSTED, tuple(against)
    lacking = _lacking(row)
    if lacking:
        return UNCLEAR, tuple(lacking)
    return TRUSTED, (
        f"it agrees with people well beyond chance (kappa {_interval(row, 'kappa')}, "
        f"AC1 {_interval(row, 'ac1')}), passes {percent(row['sensitivity'])} of what they pass and "
        f"fails {percent(row['specificity'])} of what they fail (means over tasks)",
    )


def verdict_sentence(row: dict[str, Any], *, with_rubric: bool) -> str:
    """One row of the trust table as a sentence."""
    rubric = f" with rubric {row['rubric']}" if with_rubric else ""
    if row["verdict"] == UNCLEAR:
        return f"Whether {row['judge']}{rubric} is to be trusted cannot be told: {row['because']}."
    return f"{row['judge']}{rubric} is {row['verdict']}: {row['because']}."


def _against(row: dict[str, Any], arms: Sequence[dict[str, Any]]) -> list[str]:
    found = []
    replies = row["replies"]
    if replies >= FEWEST_LABELS and row["unscored"] / replies > MOST_UNSCORED:
        found.append(f"{percent(row['unscored'] / replies)} of its replies hold no usable score")
    if row["labelled"] < FEWEST_LABELS:
        return found
    if known(row["kappa_high"]) and row["kappa_high"] < LEAST_KAPPA:
        beyond = "no better than chance" if row["kappa_low"] <= 0 else "little better than chance"
        found.append(f"it agrees with people {beyond} (kappa {_interval(row, 'kappa')})")
    information = row["sensitivity"] + row["specificity"] - 1
    if known(information) and information < LEAST_INFORMATION:
        found.append(
            f"its verdict says too little: it passes {percent(row['sensitivity'])} of good and "
            f"{percent(1 - row['specificity'])} of bad work"
        )
    return found + _leaning(arms)


def _leaning(arms: Sequence[dict[str, Any]]) -> list[str]:
    told = [arm for arm in arms if known(arm["leaning_low"])]
    favoured = [a for a in told if a["leaning_low"] > 0 and a["leaning"] >= LEAST_LEANING]
    wronged = [a for a in told if a["leaning_high"] < 0 and a["leaning"] <= -LEAST_LEANING]
    found = favoured or wronged
    return [
        f"it {'favours' if favoured else 'is harder on'} {arm['arm']} by {_size(arm)} more than people do"
        for arm in sorted(found, key=lambda arm: -abs(arm["leaning"]))[:2]
    ]


def _size(arm: dict[str, Any]) -> str:
    """How far a judge leans, whichever way, in points with the interval."""
    low, high = sorted(abs(arm[name]) for name in ("leaning_low", "leaning_high"))
    size, *ends = (points(value, signed=False) for value in (abs(arm["leaning"]), low, high))
    return f"{size} points [{', '.join(ends)}]"


def _lacking(row: dict[str, Any]) -> list[str]:
    if not row["labelled"]:
        return ["nobody labelled a trial that it judged: label some with trial.label(...)"]
    fewest = min(row["good"], row["bad"])
    if fewest == 0:
        kind = "bad" if row["good"] else "good"
        return [f"no labelled trial is {kind} work, so its errors there are unknown: label some"]
    found = []
    if row["labelled"] < ENOUGH_LABELS or fewest < FEWEST_OF_A_KIND:
        found.append(
            f"{count_of(row['labelled'], 'label')} ({row['good']} good, {row['bad']} bad) are too few: "
            f"label {ENOUGH_LABELS} or more, {FEWEST_OF_A_KIND} of each kind"
        )
    if not known(row["kappa_low"]) or row["kappa_low"] < LEAST_KAPPA:
        found.append(
            f"its agreement with people may be below {LEAST_KAPPA:g} (kappa {_interval(row, 'kappa')})"
        )
    return found


def _interval(row: dict[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    text = number(row[name], digits=2)
    return f"{text} [{number(low, digits=2)}, {number(high, digits=2)}]" if known(low) else text
