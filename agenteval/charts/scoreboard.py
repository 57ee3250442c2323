"""Forest of pass rates: one line an arm, with interval, n and what was left out."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import name_labels
from agenteval.charts.rows import bracket, data_of, labels_of, leading_columns, records, table_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Scoreboard
from agenteval.comparison.wording import listed, percent, size_of

TITLE = "Pass rate"
MOST_ARMS = 60
SHOWN = [
    "rate", "low", "high", "band_low", "band_high", "tasks", "trials", "left_out", "left_out_why",
    "method",
]  # fmt: skip


def scoreboard_chart(board: Scoreboard | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw a scoreboard: pass rates with their intervals, the best on top.

    The thick line is the interval, the dot the rate; a thin wide bar, where there is one, reaches
    from "all left-out trials failed" to "all passed". At most 60 rows are drawn, the others named.

    Parameters
    ----------
    board
        A `Scoreboard`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(board)
    level = getattr(board, "level", None)
    if table.empty:
        return empty_chart("there is no row to draw", theme=theme, title=TITLE)
    keys = leading_columns(table, "tasks")
    table = table.assign(arm_label=labels_of(table, keys))
    table = table.sort_values("rate", ascending=False, kind="stable", na_position="last")
    shown = table.head(MOST_ARMS)
    rows = records(shown, ["arm_label", *SHOWN])
    for row in rows:
        row |= {
            "rate_text": _rate_text(row),
            "n_text": _n_text(row),
            "has_band": row["left_out"] > 0,
        }
    interval = f"{100 * level:g} % interval" if level else "interval"
    methods = listed(sorted(set(shown["method"].dropna())))
    subtitle = [f"{interval} over tasks ({methods})"] if methods else []
    if any(row["has_band"] for row in rows):
        subtitle.append("grey: the rate had all left-out trials failed, or all passed")
    subtitle += _rest(table["arm_label"].tolist())
    return dressed(
        _layers(rows, " / ".join(keys), palette_of(theme), interval),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=_description(rows, interval),
    )


def _rate_text(row: dict[str, Any]) -> str:
    if row["rate"] is None:
        return "no counted trial"
    return f"{percent(row['rate'])} {bracket(row['low'], row['high'])}"


def _n_text(row: dict[str, Any]) -> str:
    left = f", {row['left_out']:,} left out" if row["left_out"] else ""
    return f"{size_of(row['tasks'], row['trials'])}{left}"


def _rest(labels: list[str]) -> list[str]:
    rest = labels[MOST_ARMS:]
    return [f"{len(rest)} more with lower rates are not drawn: {listed(rest)}"] if rest else []


def _layers(rows: list[dict[str, Any]], name: str, colours: Palette, interval: str) -> Any:
    width, step = 380, 30 if len(rows) <= 12 else 20
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "arm_label:N",
            sort=[row["arm_label"] for row in rows],
            title=None,
            axis=alt.Axis(
                ticks=False,
                domain=False,
                labelPadding=10,
                **name_labels(row["arm_label"] for row in rows),
            ),
        ),
        tooltip=[
            alt.Tooltip("arm_label:N", title=name),
            alt.Tooltip("rate_text:N", title=f"pass rate, {interval}"),
            alt.Tooltip("n_text:N", title="n"),
            alt.Tooltip("left_out_why:N", title="left out"),
            alt.Tooltip("method:N", title="method"),
        ],
    )
    axis = alt.Axis(format=".0%", tickCount=5, title="pass rate (%), mean over tasks")
    scale = alt.Scale(domain=[0, 1])
    band = (
        base.transform_filter("datum.has_band")
        .mark_bar(height=step * 0.5, color=colours.neutral, opacity=0.25)
        .encode(x=alt.X("band_low:Q", scale=scale, axis=axis), x2="band_high:Q")
    )
    rule = base.mark_rule(
        strokeWidth=3, strokeCap="round", color=colours.accent, opacity=0.45
    ).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
    dot = base.mark_point(filled=True, size=70, opacity=1, color=colours.accent).encode(
        x=alt.X("rate:Q", scale=scale, axis=axis)
    )
    text = base.mark_text(align="left").encode(text="rate_text:N", x=alt.value(width + 14))
    n = base.mark_text(align="left", color=colours.muted).encode(
        text="n_text:N", x=alt.value(width + 160)
    )
    return alt.layer(band, rule, dot, text, n).properties(width=width, height=alt.Step(step))


def _description(rows: list[dict[str, Any]], interval: str) -> str:
    said = [f"{row['arm_label']} {row['rate_text']}, {row['n_text']}" for row in rows[:10]]
    more = f"; {len(rows) - 10} more with lower rates" if len(rows) > 10 else ""
    return f"Pass rates with {interval}, best first: {'; '.join(said)}{more}."
