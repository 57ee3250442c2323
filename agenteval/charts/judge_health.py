"""Replies of judges without a score, and replies that never came, by arm."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.panels import MOST_ARMS, bar_panels
from agenteval.charts.rows import labels_of, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import JudgeHealth
from agenteval.comparison.wording import count_of, percent

TITLE = "Replies of judges"
SHOWN = ["samples", "unscored", "unscored_share", "missing", "missing_share", "flagged"]
PANELS = {
    "unscored": ("no score in the reply", "the candidate's work can cause it"),
    "missing": ("no reply", "the provider failed"),
}


def judge_health_chart(result: JudgeHealth | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the share of samples without a score, and without a reply: one bar an arm.

    Bars that differ between arms are a reason to distrust the arms' rates. At most 60 arms are
    drawn, those with the most trouble; the others are named.

    Parameters
    ----------
    result
        A `JudgeHealth`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels whose data sets together hold the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("nothing was judged", theme=theme, title=TITLE)
    keys = ["arm", "judge"] if table["judge"].nunique() > 1 else ["arm"]
    table = table.assign(arm_label=labels_of(table, keys))
    table = table.sort_values(["missing_share", "unscored_share"], ascending=False, kind="stable")
    arms = table["arm_label"].tolist()
    found = records(table.head(MOST_ARMS), ["arm_label", *SHOWN])
    rows = [
        {
            **row,
            "panel": words,
            "value": row[f"{name}_share"],
            "low": None,
            "high": None,
            "text": f"{row[name]:,} of {row['samples']:,}",
            "tip": percent(row[f"{name}_share"]),
            "n_text": f"{count_of(row['samples'], 'sample')}, {row['flagged']:,} of work that speaks to its judge",
        }
        for row in found
        for name, (words, _) in PANELS.items()
    ]
    said = [
        f"{row['arm_label']}: {row['unscored']:,} of {row['samples']:,} without a score, "
        f"{row['missing']:,} missing"
        for row in found
    ]
    more = f"; {len(said) - 12} more" if len(said) > 12 else ""
    return dressed(
        bar_panels(
            rows,
            panels=dict(PANELS.values()),
            arms=arms[:MOST_ARMS],
            title="share of samples (%)",
            axis_format=".2~%",
            together=True,
            colours=palette_of(theme),
        ),
        theme=theme,
        title=TITLE,
        subtitle=["share of the samples asked for", *not_drawn(arms[MOST_ARMS:], "arm")],
        description=f"{TITLE}. {'; '.join(said[:12])}{more}.",
    )
