"""How often two repeats of one task disagree, arm by arm."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import name_labels
from agenteval.charts.rows import (
    data_of,
    labels_of,
    leading_columns,
    not_drawn,
    records,
    table_of,
)
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import RepeatAgreement
from agenteval.comparison.wording import count_of, percent

TITLE = "Disagreement of repeats"
SHOWN = ["tasks_repeated", "flaky_tasks", "flaky_share", "disagreement", "all_pass", "any_pass"]
MOST_ARMS = 60


def agreement_chart(result: RepeatAgreement | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the chance that two repeats of a task come out differently.

    Parameters
    ----------
    result
        A `RepeatAgreement`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Bars with their numbers over one data set that holds the table's own.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("no task was repeated", theme=theme, title=TITLE)
    colours = palette_of(theme)
    table = table.assign(arm_label=labels_of(table, leading_columns(table, "tasks")))
    table = table.sort_values("disagreement", ascending=False, kind="stable")
    shown, rest = table.head(MOST_ARMS), table["arm_label"].iloc[MOST_ARMS:].tolist()
    rows = records(shown, ["arm_label", *SHOWN])
    for row in rows:
        row["text"] = (
            f"{percent(row['disagreement'])}: {row['flaky_tasks']} of "
            f"{count_of(row['tasks_repeated'], 'repeated task')} flaky"
        )
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "arm_label:N",
            sort=[row["arm_label"] for row in rows],
            title=None,
            axis=alt.Axis(**name_labels(row["arm_label"] for row in rows)),
        ),
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("text:N", title="disagree"),
            alt.Tooltip("all_pass:Q", title="all repeats pass", format=".0%"),
            alt.Tooltip("any_pass:Q", title="any repeat passes", format=".0%"),
        ],
    )
    x = alt.X(
        "disagreement:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", title="chance that two repeats of a task disagree"),
    )
    bars = base.mark_bar(color=colours.accent, height=12).encode(x=x)
    text = base.mark_text(align="left", dx=6, color=colours.ink).encode(x=x, text="text:N")
    subtitle = ["0 % is steady; a coin gives 50 %"]
    subtitle += not_drawn(rest, "arm")
    said = "; ".join(f"{row['arm_label']} {row['text']}" for row in rows[:20])
    return dressed(
        alt.layer(bars, text).properties(width=420, height=alt.Step(26)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"{TITLE}. {said}.",
    )
