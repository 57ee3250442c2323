"""How cost, time and tokens spread over trials."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.quantities import amount
from agenteval.charts.rows import (
    bracket,
    data_of,
    labels_of,
    leading_columns,
    not_drawn,
    records,
    table_of,
)  # fmt: skip
from agenteval.charts.series import MOST_SERIES, one_legend, series_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Distribution
from agenteval.comparison.wording import count_of, percent, size_of

TITLE = "What trials used"
WIDTH = 270
# not SI: 30m would read as minutes
SMALL = ",.3~r"
UNITS = {
    "cost_usd": ("cost (US dollars)", f"${SMALL}"),
    "agent_s": ("agent's time (seconds)", SMALL),
    "duration_s": ("time of the trial (seconds)", SMALL),
    "tokens": ("tokens", "~s"),
    "turns": ("turns", "~s"),
}


def distribution_chart(result: Distribution | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the share of trials that used no more than a value: one panel a quantity, log scale.

    A curve further left is an arm that uses less; a long flat end is a few trials that use far more.
    Values of 0 have no place on the scale: their share is where the curve begins. At most eight arms
    are drawn, those with the most trials; the others are named.

    Parameters
    ----------
    result
        A `Distribution`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels that share their colours, over the table's own numbers.
    """
    whole = table_of(result)
    table = whole[whole["value"] > 0]
    if table.empty:
        return empty_chart("no counted trial used anything that is known", theme=theme, title=TITLE)
    table = table.assign(arm_label=labels_of(table, leading_columns(table, "quantity")))
    most = table.groupby("arm_label")["trials"].max().sort_values(ascending=False, kind="stable")
    arms, rest = sorted(most.index[:MOST_SERIES]), most.index[MOST_SERIES:].tolist()
    shown = table[table["arm_label"].isin(arms)]
    colours = palette_of(theme)
    panels = [
        _panel(part, str(quantity), arms, colours, first=i == 0)
        for i, (quantity, part) in enumerate(shown.groupby("quantity", sort=False))
    ]
    level = f"{100 * result.level:g} % " if isinstance(result, Distribution) else ""
    subtitle = [
        f"share of counted trials, mean over tasks; bands: {level}intervals, point by point"
    ]
    idle = [q for q in whole["quantity"].unique() if q not in set(table["quantity"])]
    subtitle += not_drawn(rest, "arm") + not_drawn(
        [f"{q} (all 0)" for q in idle], "quantity", "quantities"
    )
    return dressed(
        one_legend(alt.hconcat(*panels, spacing=26)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"{TITLE}. {'; '.join(_said(shown))}.",
    )


def _said(table: pd.DataFrame) -> list[str]:
    """Say for each arm and quantity the first value that half, and nine tenths, stay within."""
    said = []
    for (quantity, arm), part in table.groupby(["quantity", "arm_label"], sort=False):
        marks = []
        for share, words in ((0.5, "half"), (0.9, "90 %")):
            reached = part[part["share"] >= share - 1e-9]
            if len(reached):
                marks.append(f"{words} within {amount(str(quantity), reached['value'].iloc[0])}")
        trials = count_of(int(part["trials"].iloc[0]), "trial")
        said.append(f"{arm}: {', '.join(marks)}, of {trials}")
    return said[:12] + ([count_of(len(said) - 12, "more curve")] if len(said) > 12 else [])


def _panel(
    table: pd.DataFrame, quantity: str, arms: list[str], colours: Palette, *, first: bool
) -> Any:
    columns = ["arm_label", "quantity", "value", "share", "low", "high", "trials", "tasks"]
    rows = records(table, columns)
    for row in rows:
        row["text"] = f"{percent(row['share'])} {bracket(row['low'], row['high'])}"
        row["value_text"] = amount(quantity, row["value"])
        row["n_text"] = size_of(row["tasks"], row["trials"])
    series = series_of(arms, colours, width=2 * WIDTH)
    title, form = UNITS.get(quantity, (quantity, "~s"))
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "value:Q",
            scale=alt.Scale(type="log", nice=False, padding=4),
            axis=alt.Axis(
                title=f"{title}, log scale", format=form, grid=False, tickCount=4, labelOverlap=True
            ),
        ),
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("value_text:N", title="no more than"),
            alt.Tooltip("text:N", title="share of trials"),
            alt.Tooltip("n_text:N", title="n"),
        ],
    )
    y: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1]),
        "axis": alt.Axis(
            format=".0%", tickCount=5, title="trials that used no more (%)" if first else None
        ),
    }
    band = base.mark_area(opacity=0.1 if len(arms) <= 4 else 0.05, interpolate="step-after").encode(
        y=alt.Y("low:Q", **y), y2="high:Q", color=series.color
    )
    line = base.mark_line(strokeWidth=2, interpolate="step-after").encode(
        y=alt.Y("share:Q", **y), color=series.color, strokeDash=series.dash
    )
    dots = base.mark_point(size=18, filled=True, opacity=1).encode(
        y=alt.Y("share:Q", **y), color=series.color, shape=series.shape
    )
    return one_legend(alt.layer(band, line, dots)).properties(width=WIDTH, height=250)
