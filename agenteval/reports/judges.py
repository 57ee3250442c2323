"""What a report says of judges, also where there are none."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.comparison import judge_health, judge_trust
from agenteval.reports.prose import Prose
from agenteval.reports.section import Section


def judges_of(judgments: pd.DataFrame, labels: pd.DataFrame) -> tuple[Any, ...]:
    """Return what to show of the judges of some trials: the answer first.

    Parameters
    ----------
    judgments, labels
        Tables of the store.

    Returns
    -------
    tuple
        The verdict, its table and picture, then the judges' own failures; one sentence where no
        judge was asked.
    """
    single = judgments[judgments["versus"].isna()]
    if single.empty:
        said = "No judge was asked about these trials, so there is none to trust or distrust."
        fix = "`agenteval rejudge` asks one about stored trials; labels of your own (`ae.widgets.label`) show whether it is right."
        return (Prose((said, fix), style="headline"),)
    trust = judge_trust(single, labels)
    lead = Prose(tuple(trust.verdict.splitlines()), style="headline")
    shown: tuple[Any, ...] = (lead, trust)
    if len(labels):
        shown += (trust.plot(),)
    return (*shown, judge_health(judgments))


def labels_by(labels: pd.DataFrame) -> Section:
    """Count labels by person.

    Parameters
    ----------
    labels
        Table of the store.

    Returns
    -------
    Section
        `.table` has one row a person: `annotator`, `trials`, `passed`, `failed`, `scored`.
    """
    groups = labels.groupby("annotator", sort=True)
    table = pd.DataFrame(
        {
            "trials": groups["trial_id"].nunique(),
            "passed": groups["passed"].sum(),
            "failed": groups["passed"].count() - groups["passed"].sum(),
            "scored": groups["score"].count(),
        }
    ).reset_index()
    return Section(
        table=table,
        title="Labels by person",
        heads=["person", "trials", "passed", "failed", "with a score"],
        rows=[[str(value) for value in row.values()] for row in table.to_dict("records")],
        empty="Nobody labelled any of these trials yet.",
    )
