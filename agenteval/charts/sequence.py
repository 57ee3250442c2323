"""A sequential run: the difference after every look, with limits that hold at all of them."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.forest import point_axis
from agenteval.charts.rows import bracket, data_of, records
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison.wording import count_of, points

TITLE = "Looks of a sequential run"
SHOWN = ["look", "tasks", "trials", "difference", "low", "high", "answer"]


def sequence_chart(
    table: pd.DataFrame, *, question: str, threshold: float = 0.0, theme: Theme = "light"
) -> Any:
    """Draw the confidence sequence: it decides where the band leaves the line.

    Parameters
    ----------
    table
        One row a look: the table of a `Decision`.
    question
        The claim, for the title.
    threshold
        Difference that decides.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    if table.empty:
        return empty_chart("no task is finished in both arms", theme=theme, title=TITLE)
    colours = palette_of(theme)
    rows = records(table, SHOWN)
    for row in rows:
        row["text"] = f"{points(row['difference'])} {bracket(row['low'], row['high'])}"
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "tasks:Q",
            title="tasks looked at",
            scale=alt.Scale(zero=True),
            axis=alt.Axis(tickMinStep=1, format="d"),
        ),
        tooltip=[
            alt.Tooltip("look:Q"),
            alt.Tooltip("tasks:Q"),
            alt.Tooltip("trials:Q"),
            alt.Tooltip("text:N", title="difference (points)"),
        ],
    )
    axis = point_axis("difference (percentage points)")
    y = alt.Y("low:Q", axis=axis, scale=alt.Scale(nice=True))
    band = base.mark_area(opacity=0.2, color=colours.accent).encode(y=y, y2="high:Q")
    ends = base.mark_rule(strokeWidth=2, opacity=0.45, color=colours.accent).encode(
        y=y, y2="high:Q"
    )
    line = base.mark_line(color=colours.accent, strokeWidth=2, point=True).encode(y="difference:Q")
    zero = (
        alt.Chart(data_of([{"threshold": threshold}]))
        .mark_rule(color=colours.muted, strokeDash=[4, 3])
        .encode(y="threshold:Q")
    )
    last = rows[-1]
    answer = last["answer"] or "undecided"
    title = f"Is {question}? {str(answer).capitalize()}"
    return dressed(
        alt.layer(band, ends, line, zero).properties(width=460, height=260),
        theme=theme,
        title=title,
        subtitle=["band: right at all looks together; dashed: what decides"],
        description=f"{title}, after {count_of(last['tasks'], 'task')}: {last['text']} points.",
    )
