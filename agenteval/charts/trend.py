"""Pass rate over runs or periods, with intervals."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LEGEND, name_labels
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
from agenteval.comparison import Trend
from agenteval.comparison.wording import count_of, known, percent, points, size_of

TITLE = "Pass rate over time"
MOST_ARMS = 8
MOST_PERIODS = 60
SHOWN = ["period", "rate", "low", "high", "tasks", "trials", "left_out", "change", "change_low", "change_high"]  # fmt: skip


def trend_chart(result: Trend | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the pass rate of every arm in every period, with intervals.

    A gap in a line is a period without the arm. At most eight arms (those with the most trials) and
    the last 60 periods are drawn; what is not drawn is named.

    Parameters
    ----------
    result
        A `Trend`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    table = table[table["rate"].notna()]
    if table.empty:
        return empty_chart("there is no period to draw", theme=theme, title=TITLE)
    table = table.assign(arm_label=labels_of(table, leading_columns(table, "period")))
    most = table.groupby("arm_label")["trials"].sum().sort_values(ascending=False, kind="stable")
    arms, rest = sorted(most.index[:MOST_ARMS]), most.index[MOST_ARMS:].tolist()
    times = table.groupby("period")["started_at"].min().reset_index()
    times = times.sort_values(["started_at", "period"], kind="stable", na_position="first")
    periods = times["period"].tolist()
    shown = table[table["arm_label"].isin(arms) & table["period"].isin(periods[-MOST_PERIODS:])]
    rows = records(shown, ["arm_label", *SHOWN])
    for row in rows:
        row["text"] = f"{percent(row['rate'])} {bracket(row['low'], row['high'])}"
        row["n_text"] = size_of(row["tasks"], row["trials"])
        row["change_text"] = (
            f"{points(row['change'])} {bracket(row['change_low'], row['change_high'])}"
            if known(row["change"])
            else ""
        )
    per = result.per if isinstance(result, Trend) else "period"
    level = f"{100 * result.level:g} % interval" if isinstance(result, Trend) else "interval"
    subtitle = [f"by {per}, {level} over tasks"]
    subtitle += not_drawn(rest, "arm")
    hidden = len(periods) - MOST_PERIODS
    subtitle += [f"the first {hidden} of {len(periods)} are not drawn"] if hidden > 0 else []
    return dressed(
        _layers(rows, arms, periods[-MOST_PERIODS:], per, palette_of(theme)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=_description(shown, arms),
    )


def _layers(
    rows: list[dict[str, Any]], arms: list[str], periods: list[str], per: str, colours: Palette
) -> Any:
    long = max(map(len, periods)) > 4
    width = min(760, max(300, 60 * len(periods)))
    series = series_of(arms, colours, width=width)
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "period:N",
            sort=periods,
            title=per,
            axis=alt.Axis(
                labelAngle=-40 if long else 0,
                grid=False,
                labelOverlap=True,
                **name_labels(periods, LONGEST_LEGEND),
            ),
        ),
        xOffset=alt.XOffset("arm_label:N", sort=arms, scale=alt.Scale(paddingOuter=1)),
        color=series.color,
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("period:N", title=per),
            alt.Tooltip("text:N", title="pass rate"),
            alt.Tooltip("n_text:N", title="n"),
            alt.Tooltip("left_out:Q", title="left out"),
            alt.Tooltip("change_text:N", title="change on common tasks"),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".0%", tickCount=5, title="pass rate (%), mean over tasks")
    rule = base.mark_rule(strokeWidth=2, opacity=0.4).encode(
        y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("rate:Q", scale=scale, axis=axis), strokeDash=series.dash
    )
    dot = base.mark_point(filled=True, size=55, opacity=1).encode(
        y=alt.Y("rate:Q", scale=scale, axis=axis), shape=series.shape
    )
    return one_legend(alt.layer(rule, line, dot)).properties(width=width, height=280)


def _description(shown: pd.DataFrame, arms: list[str]) -> str:
    said = []
    for arm in arms:
        mine = shown[shown["arm_label"] == arm]
        first, last = mine.iloc[0], mine.iloc[-1]
        if len(mine) == 1:
            said.append(f"{arm} {percent(last['rate'])} ({last['period']}), one point")
            continue
        said.append(
            f"{arm} went from {percent(first['rate'])} ({first['period']}) to "
            f"{percent(last['rate'])} ({last['period']}) over {count_of(len(mine), 'point')}"
        )
    return f"Pass rate over time. {'; '.join(said)}."
