"""What a report says of judges, also where there are none."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.comparison import judge_health, judge_trust
from agenteval.reports.prose import Prose


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
