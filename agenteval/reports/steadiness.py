"""How steady the repeats of a run are, where there are any."""

from __future__ import annotations

import pandas as pd

from agenteval.comparison import agreement
from agenteval.errors import NotEnoughData
from agenteval.reports.section import Section


def steadiness(trials: pd.DataFrame) -> tuple[object, ...]:
    """Show how often repeats of a task disagree; says so when none was repeated.

    Parameters
    ----------
    trials
        A trial table.

    Returns
    -------
    tuple[object, ...]
        What `display` takes: the chart and the table of `comparison.agreement`, or a section that
        says why there is nothing to show.
    """
    try:
        found = agreement(trials)
    except NotEnoughData as error:
        said = f"{error.what[:1].upper()}{error.what[1:]}: {error.fix}."
        return (Section(table=pd.DataFrame(), empty=said),)
    return found.plot(), found
