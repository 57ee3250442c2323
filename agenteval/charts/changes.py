"""Every task of every arm that moved since a baseline run."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LABEL, label_columns, short_names
from agenteval.charts.rows import data_of, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import RunChange
from agenteval.comparison.wording import count_of, percent

TITLE = "Tasks that moved since the baseline"
SHOWN = ["arm", "suite", "task_id", "before", "after", "difference", "direction"]
MOST_TASKS = 60


def changes_chart(result: RunChange | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw a line from the rate before to the rate after, regressions on top.

    Parameters
    ----------
    result
        A `RunChange`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Lines and their ends over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    moved = table[table["direction"] != "same"]
    same = len(table) - len(moved)
    if moved.empty:
        message = f"{count_of(same, 'task')} compared, none moved"
        return empty_chart(message, theme=theme, title=TITLE)
    colours = palette_of(theme)
    rows = records(moved.head(MOST_TASKS), SHOWN)
    tasks, arms = (short_names(moved[name], LONGEST_LABEL) for name in ("task_id", "arm"))
    several = table["arm"].nunique() > 1
    for row in rows:
        row["task_text"], row["arm_text"] = tasks[row["task_id"]], arms[str(row["arm"])]
        row["task_label"] = f"{row['arm']}: {row['task_id']}" if several else str(row["task_id"])
        row["text"] = f"{percent(row['before'], digits=0)} to {percent(row['after'], digits=0)}"
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".0%", title="pass rate, from before to now (dot)")
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "task_label:N",
            sort=[row["task_label"] for row in rows],
            title=None,
            axis=alt.Axis(labels=False, ticks=False, domain=False),
        ),
        color=alt.Color(
            "direction:N",
            scale=alt.Scale(
                domain=["regressed", "improved"], range=[colours.worse, colours.better]
            ),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
        tooltip=[
            alt.Tooltip("task_label:N", title="task"),
            alt.Tooltip("text:N", title="pass rate"),
            alt.Tooltip("direction:N"),
        ],
    )
    line = base.mark_rule(strokeWidth=3, opacity=0.55).encode(
        x=alt.X("before:Q", scale=scale, axis=axis), x2="after:Q"
    )
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("after:Q", scale=scale, axis=axis)
    )
    heads = label_columns(
        base, rows, ["task_text", "arm_text"] if several else ["task_text"], colours.ink
    )
    worse = int((moved["direction"] == "regressed").sum())
    counts = f"{worse} regressed, {len(moved) - worse} improved, {same} the same"
    hidden = [f"{row['arm']}: {row['task_id']}" for row in records(moved[MOST_TASKS:], SHOWN)]
    return dressed(
        alt.layer(line, dot, *heads).properties(width=420, height=alt.Step(20)),
        theme=theme,
        title=TITLE if several else f"{TITLE}: {table['arm'].iloc[0]}",
        subtitle=[counts, *not_drawn(hidden, "change")],
        description=f"{TITLE}: {counts}. "
        + "; ".join(f"{row['task_label']} {row['text']}" for row in rows[:20]),
    )
