"""Tampering, shortcuts and protected edits, by arm."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.panels import MOST_ARMS, MOST_PANELS, bar_panels
from agenteval.charts.rows import bracket, labels_of, leading_columns, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import WarningSigns
from agenteval.comparison.wording import count_of, percent

TITLE = "Tampering and shortcuts by arm"
SHOWN = ["sign", "kind", "trials", "tasks", "passed", "sensed", "unsensed", "share", "low", "high"]


def warning_signs_chart(result: WarningSigns | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the share of trials with each sign: one panel a sign, one bar an arm.

    An arm whose trials nothing could sense has no bar and says so.

    Parameters
    ----------
    result
        A `WarningSigns`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels whose data sets together hold the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart(
            "no trial shows a sign, where it could be sensed", theme=theme, title=TITLE
        )
    table = table.assign(arm_label=labels_of(table, leading_columns(table, "sign")))
    often = table.groupby("arm_label")["trials"].sum().sort_values(ascending=False, kind="stable")
    arms, rest = often.index[:MOST_ARMS].tolist(), often.index[MOST_ARMS:].tolist()
    rows = records(table[table["arm_label"].isin(arms)], ["arm_label", *SHOWN])
    for row in rows:
        row |= {
            "panel": row["sign"].replace("_", " "),
            "value": row["share"],
            "text": f"{row['trials']:,} of {row['sensed']:,}" if row["sensed"] else "not sensed",
            "tip": f"{percent(row['share'])} {bracket(row['low'], row['high'])}",
            "n_text": f"{count_of(row['trials'], 'trial')} on {count_of(row['tasks'], 'task')}, "
            f"{row['passed']:,} of them passed; {row['unsensed']:,} not looked at",
        }
    panels = {
        row["panel"]: row["kind"] if row["kind"] == "tampering" else "in the change" for row in rows
    }
    drawn = dict(list(panels.items())[:MOST_PANELS])
    subtitle = ["share of the trials where it could be seen, mean over tasks, with its interval"]
    subtitle += not_drawn(rest, "arm") + not_drawn(list(panels)[MOST_PANELS:], "sign")
    said = [
        f"{row['arm_label']} {row['panel']} in {row['trials']:,} of {count_of(row['sensed'], 'trial')}, "
        f"{row['passed']:,} of them passed"
        for row in rows
        if row["trials"]
    ]
    more = f"; {len(said) - 12} more" if len(said) > 12 else ""
    return dressed(
        bar_panels(
            [row for row in rows if row["panel"] in drawn],
            panels=drawn,
            arms=arms,
            title="share of trials (%)",
            axis_format=".2~%",
            together=True,
            colours=palette_of(theme),
        ),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"{TITLE}. {'; '.join(said[:12])}{more}.",
    )
