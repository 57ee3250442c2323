"""Cost against quality, with interval crosses and the frontier."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import bracket, data_of, labels_of, leading_columns, records, table_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Frontier
from agenteval.comparison.wording import count_of, dollars, listed, number, percent

TITLE = "Cost and quality"
MOST_ARMS = 60
NAMED, ALL_NAMED = 25, 12
UNITS = {"cost_usd": "US dollars", "agent_s": "seconds", "turns": "turns"}
SHOWN = [
    "rate", "low", "high", "cost", "cost_low", "cost_high", "on_frontier", "frontier_probability",
    "dominated_by", "tasks",
]  # fmt: skip


def frontier_chart(result: Frontier | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw arms by mean cost and pass rate; a stepped line joins those that none beats on both.

    Up and to the left is better. Crosses are the intervals; filled dots are on the frontier, and the
    number beside a name is the probability of that. At most 60 arms are drawn (the likeliest); of more
    than 12 only those on the frontier have their names beside them.

    Parameters
    ----------
    result
        A `Frontier`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no arm to draw", theme=theme, title=TITLE)
    keys = leading_columns(table, "tasks")
    table = table.assign(arm_label=labels_of(table, keys))
    order = table.sort_values("frontier_probability", ascending=False, kind="stable")
    shown, rest = order.head(MOST_ARMS), order["arm_label"].iloc[MOST_ARMS:].tolist()
    column = result.column if isinstance(result, Frontier) else "cost_usd"
    spend = dollars if column.endswith("usd") else number
    rows = records(shown, ["arm_label", *SHOWN])
    for i, row in enumerate(rows):
        row["name"] = (
            f"{row['arm_label']} ({percent(row['frontier_probability'], digits=0)})"
            if i < NAMED and (row["on_frontier"] or len(rows) <= ALL_NAMED)
            else ""
        )
        row["rate_text"] = f"{percent(row['rate'])} {bracket(row['low'], row['high'])}"
        row["cost_text"] = (
            f"{spend(row['cost'])} [{spend(row['cost_low'])}, {spend(row['cost_high'])}]"
        )
    level = f"{100 * result.level:g} % intervals" if isinstance(result, Frontier) else "intervals"
    on = [row["arm_label"] for row in rows if row["on_frontier"]]
    subtitle = [
        f"{level} over {count_of(int(table['tasks'].iloc[0]), 'task')} all share; in brackets the probability of being on the frontier"
    ]
    subtitle += [f"{len(rest)} more are not drawn: {listed(rest)}"] if rest else []
    said = "; ".join(
        f"{row['arm_label']} {row['cost_text']}, {row['rate_text']}" for row in rows[:10]
    )
    return dressed(
        _layers(rows, column, palette_of(theme)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"Cost and pass rate. On the frontier: {listed(on, most=10)}. {said}.",
    )


def _layers(rows: list[dict[str, Any]], column: str, colours: Palette) -> Any:
    unit = UNITS.get(column, column)
    what = "cost" if column.endswith("usd") else column
    dollar = column.endswith("usd")
    x_axis = alt.Axis(
        title=f"{what} a trial ({unit}), mean over tasks",
        format="$,.3~r" if dollar else ",.3~r",
        grid=False,
    )
    y_axis = alt.Axis(title="pass rate (%), mean over tasks", format=".0%", tickCount=5)
    x: dict[str, Any] = {"scale": alt.Scale(zero=True, nice=True), "axis": x_axis}
    y: dict[str, Any] = {"scale": alt.Scale(domain=[0, 1]), "axis": y_axis}
    base = alt.Chart(data_of(rows)).encode(
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("rate_text:N", title="pass rate"),
            alt.Tooltip("cost_text:N", title=what),
            alt.Tooltip("tasks:Q", title="tasks"),
            alt.Tooltip("frontier_probability:Q", title="on the frontier", format=".0%"),
            alt.Tooltip("dominated_by:N", title="beaten by"),
        ]
    )
    colour = alt.condition(
        "datum.on_frontier", alt.value(colours.accent), alt.value(colours.neutral)
    )
    across = base.mark_rule(opacity=0.4, strokeWidth=1.5).encode(
        x=alt.X("cost_low:Q", **x), x2="cost_high:Q", y=alt.Y("rate:Q", **y), color=colour
    )
    up = base.mark_rule(opacity=0.4, strokeWidth=1.5).encode(
        y=alt.Y("low:Q", **y), y2="high:Q", x=alt.X("cost:Q", **x), color=colour
    )
    dots = base.mark_point(size=80, opacity=1, strokeWidth=2).encode(
        x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), color=colour,
        fill=alt.condition(
            "datum.on_frontier", alt.value(colours.accent), alt.value(colours.background)
        ),
    )  # fmt: skip
    line = (
        base.transform_filter("datum.on_frontier")
        .mark_line(
            interpolate="step-after", strokeDash=[5, 4], strokeWidth=1.5, color=colours.accent
        )
        .encode(x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), order="cost:Q")
    )
    names = base.mark_text(align="left", dx=8, dy=11, fontSize=11).encode(
        x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), text="name:N",
        color=alt.condition("datum.on_frontier", alt.value(colours.ink), alt.value(colours.muted)),
    )  # fmt: skip
    return alt.layer(line, across, up, dots, names).properties(width=520, height=340)
