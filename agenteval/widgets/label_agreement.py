"""How far a person agrees with the judge and the checks, in a sentence."""

from __future__ import annotations

import pandas as pd

from agenteval.comparison.judge_items import judged_items
from agenteval.comparison.wording import number
from agenteval.stats import cohen_kappa

_KEY = ["run_id", "trial_id"]


def agreement_so_far(trials: pd.DataFrame, labels: pd.DataFrame, judgments: pd.DataFrame) -> str:
    """Say how often one person's labels agree with each judge and with the trial's own outcome.

    Parameters
    ----------
    trials, labels, judgments
        Tables of the store; one label a trial.
    """
    said = labels.dropna(subset=["passed"])[[*_KEY, "passed"]]
    if said.empty:
        return "Nothing is labelled yet."
    verdicts = {"the trial's own outcome": trials[[*_KEY, "passed"]]}
    if len(judgments):
        items = judged_items(judgments)
        items = items.assign(passed=items["verdict"])
        verdicts |= {
            f"{judge} ({rubric[:8]})": part[[*_KEY, "passed"]]
            for (judge, rubric), part in items.groupby(["judge", "rubric"])
        }
    told = [_sentence(name, said, other) for name, other in verdicts.items()]
    return " ".join(text for text in told if text) or "Nothing to compare the labels with yet."


def _sentence(name: str, said: pd.DataFrame, other: pd.DataFrame) -> str:
    both = said.merge(other.dropna(subset=["passed"]), on=_KEY, suffixes=("_a", "_b"))
    if both.empty:
        return ""
    a, b = both["passed_a"].astype(bool), both["passed_b"].astype(bool)
    counts = [[int(((a == x) & (b == y)).sum()) for y in (True, False)] for x in (True, False)]
    kappa = float(cohen_kappa(counts).estimate)
    beyond = "" if pd.isna(kappa) else f", kappa {number(kappa, digits=2)}"
    return f"Agrees with {name} on {int((a == b).sum())} of {len(both)}{beyond}."
