"""Pass rate under every limit of time, cost or turns."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.quantities import amount, amount_in_words, quantity_words
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
from agenteval.comparison import LimitCurves
from agenteval.comparison.wording import percent, size_of

TITLE = "Pass rate under a limit"
MOST_ARMS = 8
UNITS = {
    "agent_s": "limit of the agent's time (seconds)",
    "cost_usd": "limit of cost (US dollars)",
    "turns": "limit of turns",
}


def limits_chart(result: LimitCurves | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the pass rate had every trial been stopped at a limit: one panel a quantity.

    Where a curve is flat, more buys nothing. At most eight arms are drawn, those that end highest;
    the others are named.

    Parameters
    ----------
    result
        A `LimitCurves`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels that share their colours.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no curve to draw", theme=theme, title=TITLE)
    keys = leading_columns(table, "quantity")
    table = table.assign(arm_label=labels_of(table, keys))
    best = table.groupby("arm_label")["rate"].max().sort_values(ascending=False, kind="stable")
    order, rest = best.index[:MOST_ARMS].tolist(), best.index[MOST_ARMS:].tolist()
    shown = table[table["arm_label"].isin(order)]
    colours = palette_of(theme)
    panels = [
        _panel(part, str(quantity), order, colours, first=i == 0)
        for i, (quantity, part) in enumerate(shown.groupby("quantity", sort=False))
    ]
    said = [
        f"{arm} reaches {percent(part['rate'].max())} at {amount_in_words(str(quantity), part['limit'].max())}"
        for (quantity, arm), part in shown.groupby(["quantity", "arm_label"], sort=False)
    ]
    subtitle = [
        "a trial counts when it passed and used no more than the limit; bands are intervals over tasks"
    ]
    subtitle += not_drawn(rest, "arm")
    return dressed(
        one_legend(alt.hconcat(*panels, spacing=24)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"Pass rate under limits. {'; '.join(said[:12])}.",
    )


def _panel(
    table: pd.DataFrame, quantity: str, arms: list[str], colours: Palette, *, first: bool
) -> Any:
    rows = records(
        table, ["arm_label", "limit", "rate", "low", "high", "within", "trials", "tasks"]
    )
    for row in rows:
        row["text"] = f"{percent(row['rate'])} {bracket(row['low'], row['high'])}"
        row["limit_text"] = amount(quantity, row["limit"])
        row["n_text"] = size_of(row["tasks"], row["trials"])
    series = series_of(arms, colours, width=540)
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "limit:Q",
            scale=alt.Scale(zero=True),
            axis=alt.Axis(
                title=UNITS.get(quantity, f"limit of {quantity_words(quantity)}"),
                grid=False,
                tickCount=5,
            ),
        ),
        color=series.color,
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("limit_text:N", title=f"limit of {quantity_words(quantity)}"),
            alt.Tooltip("text:N", title="pass rate"),
            alt.Tooltip("within:Q", title="trials within"),
            alt.Tooltip("n_text:N", title="n"),
        ],
    )
    scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(
        format=".0%", tickCount=5, title="passed within the limit (%)" if first else None
    )
    band = base.mark_area(opacity=0.1 if len(arms) <= 4 else 0.05, interpolate="step-after").encode(
        y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q"
    )
    line = base.mark_line(strokeWidth=2, interpolate="step-after").encode(
        y=alt.Y("rate:Q", scale=scale, axis=axis), strokeDash=series.dash
    )
    dots = base.mark_point(filled=True, size=16, opacity=1).encode(
        y=alt.Y("rate:Q", scale=scale, axis=axis), shape=series.shape
    )
    return one_legend(alt.layer(band, line, dots)).properties(width=270, height=260)
