"""What differs between the sides' records, and what that makes unfair."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import data_of, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Parity
from agenteval.comparison.wording import count_of, listed

TITLE = "Parity of the sides"
SEVERITIES = ("unfair", "caution", "intended", "same")
SHOWN = [
    "baseline", "candidate", "property", "value_baseline", "value_candidate", "severity", "affects",
    "meaning",
]  # fmt: skip
MOST_CANDIDATES = 40
SIGNS = {"unfair": "!", "caution": "?", "intended": "i"}
LEGEND = f"({json.dumps(SIGNS)}[datum.label] || '') + ' ' + datum.label"


def parity_chart(result: Parity | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw a cell for every candidate and property, filled by how much it matters.

    Parameters
    ----------
    result
        A `Parity`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        One layer of cells over a data set that holds the table's own values.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("nothing was recorded on either side", theme=theme, title=TITLE)
    colours = palette_of(theme)
    candidates = table["candidate"].astype(str).unique().tolist()
    shown = table[table["candidate"].astype(str).isin(candidates[:MOST_CANDIDATES])]
    worst = shown["severity"].map({name: i for i, name in enumerate(SEVERITIES)})
    order = worst.groupby(shown["property"]).min().sort_values(kind="stable").index.tolist()
    rows = [{**row, "sign": SIGNS.get(row["severity"], "")} for row in records(shown, SHOWN)]
    cells = (
        alt.Chart(data_of(rows))
        .mark_rect(stroke=colours.background, strokeWidth=2)
        .encode(
            x=alt.X("candidate:N", title=None, axis=alt.Axis(orient="top", labelAngle=-30)),
            y=alt.Y("property:N", sort=order, title=None),
            color=alt.Color(
                "severity:N",
                scale=alt.Scale(
                    domain=list(SEVERITIES),
                    range=[colours.worse, colours.series[3], colours.better, colours.grid],
                ),
                legend=alt.Legend(title=None, orient="bottom", labelExpr=LEGEND),
            ),
            tooltip=[alt.Tooltip(f"{name}:N") for name in SHOWN[1:]],
        )
    )
    signs = (
        alt.Chart(data_of(rows))
        .mark_text(fontSize=12, fontWeight=700)
        .encode(
            x="candidate:N",
            y=alt.Y("property:N", sort=order),
            text="sign:N",
            color=alt.condition(
                "datum.severity == 'same'", alt.value(colours.ink), alt.value(colours.background)
            ),
        )
    )
    cells = alt.layer(cells, signs).properties(width=alt.Step(46), height=alt.Step(22))
    matter = shown[shown["severity"].isin(["unfair", "caution"])]
    rest = candidates[MOST_CANDIDATES:]
    subtitle = [f"{count_of(len(matter), 'difference')} that may matter"]
    subtitle += [f"{len(rest)} more candidates are not drawn: {listed(rest)}"] if rest else []
    said = " ".join(dict.fromkeys(str(text) for text in matter["meaning"].dropna()))
    return dressed(
        cells,
        theme=theme,
        title=f"{TITLE}, compared with {table['baseline'].iloc[0]}",
        subtitle=subtitle,
        description=f"{TITLE}. {said or 'Nothing recorded speaks against the comparison.'}",
    )
