"""Curves of pass^k and pass@k: what k tries can be relied upon for."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import (
    bracket,
    data_of,
    labels_of,
    leading_columns,
    not_drawn,
    records,
    table_of,
)
from agenteval.charts.series import one_legend, series_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Reliability
from agenteval.comparison.wording import percent

TITLE = "Reliability over repeats"
MOST_ARMS = 8
CURVES = {
    "pass^k": ("all of k tries pass", "pass_hat_k", "low", "high"),
    "pass@k": ("at least one of k tries passes", "pass_at_k", "pass_at_k_low", "pass_at_k_high"),
}


def reliability_chart(result: Reliability | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw pass^k and pass@k against k, one line an arm, with intervals.

    A steep fall on the left panel means that an agent which solved a task once may well fail it next
    time. At most eight arms are drawn, those with the best pass rate; the others are named.

    Parameters
    ----------
    result
        A `Reliability`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Two panels that share their axis and colours.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no curve to draw", theme=theme, title=TITLE)
    keys = leading_columns(table, "k")
    table = table.assign(arm_label=labels_of(table, keys))
    first = table[table["k"] == 1].sort_values("pass_hat_k", ascending=False, kind="stable")
    order = first["arm_label"].tolist()
    shown = table[table["arm_label"].isin(order[:MOST_ARMS])]
    columns = ["arm_label", "k", "tasks", "tasks_dropped"]
    columns += [name for _, *names in CURVES.values() for name in names]
    rows = records(shown, columns)
    level = getattr(result, "level", None)
    interval = f"{100 * level:g} % interval" if level else "interval"
    rest = order[MOST_ARMS:]
    subtitle = [f"mean over tasks, with its {interval}"]
    subtitle += not_drawn(rest, "arm")
    panels = [
        _panel(rows, order[:MOST_ARMS], name, palette_of(theme), first=name == "pass^k")
        for name in CURVES
    ]
    return dressed(
        one_legend(alt.hconcat(*panels, spacing=28)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=_description(rows, order[:MOST_ARMS]),
    )


def _panel(
    rows: list[dict[str, Any]], arms: list[str], name: str, colours: Palette, *, first: bool
) -> Any:
    meaning, value, low, high = CURVES[name]
    data = [
        {
            "arm_label": row["arm_label"],
            "k": row["k"],
            "tasks": row["tasks"],
            value: row[value],
            low: row[low],
            high: row[high],
            "text": f"{percent(row[value])} {bracket(row[low], row[high])}",
        }
        for row in rows
    ]
    most = max(row["k"] for row in rows)
    width = 300 if most <= 6 else 420
    series = series_of(arms, colours, width=2 * width)
    base = alt.Chart(data_of(data)).encode(
        x=alt.X("k:O", title="k, number of tries", axis=alt.Axis(labelAngle=0, grid=False)),
        color=series.color,
        xOffset=alt.XOffset("arm_label:N", sort=arms, scale=alt.Scale(paddingOuter=1)),
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("k:O", title="k"),
            alt.Tooltip("text:N", title=meaning),
            alt.Tooltip("tasks:Q", title="tasks"),
        ],
    )
    y = alt.Axis(format=".0%", tickCount=5, title="tasks solved (%)" if first else None)
    scale = alt.Scale(domain=[0, 1])
    rule = base.mark_rule(strokeWidth=2, opacity=0.4).encode(
        y=alt.Y(f"{low}:Q", scale=scale, axis=y), y2=f"{high}:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y(f"{value}:Q", scale=scale, axis=y), strokeDash=series.dash
    )
    dot = base.mark_point(filled=True, size=55, opacity=1).encode(
        y=alt.Y(f"{value}:Q", scale=scale, axis=y), shape=series.shape
    )
    head = alt.TitleParams(
        f"{name}: {meaning}",
        fontSize=12,
        fontWeight="normal",
        color=colours.muted,
        anchor="start",
    )
    return one_legend(alt.layer(rule, line, dot)).properties(title=head, width=width, height=260)


def _description(rows: list[dict[str, Any]], arms: list[str]) -> str:
    said = []
    for arm in arms:
        mine = sorted((row for row in rows if row["arm_label"] == arm), key=lambda row: row["k"])
        one, last = mine[0], mine[-1]
        text = f"{arm} passes {percent(one['pass_hat_k'])} at k = 1"
        if last["k"] > 1:
            text += (
                f"; at k = {last['k']} all tries pass for {percent(last['pass_hat_k'])} "
                f"and at least one for {percent(last['pass_at_k'])}"
            )
        said.append(text)
    return f"Reliability over repeats. {'; '.join(said)}."
