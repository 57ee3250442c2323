"""What differs between the sides' records, and what that makes unfair."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LEGEND, name_labels
from agenteval.charts.rows import data_of, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Parity
from agenteval.comparison.wording import count_of

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

    Candidates with the worst differences stand first, then by name; at most 40 are drawn, the others
    named.

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
    table = table.assign(candidate=table["candidate"].astype(str))
    ranks = table["severity"].map({name: i for i, name in enumerate(SEVERITIES)})
    # grouping sorts by name, and a stable sort keeps that among equals
    by_worst = ranks.groupby(table["candidate"]).min().sort_values(kind="stable")
    candidates = by_worst.index.tolist()
    shown = table[table["candidate"].isin(candidates[:MOST_CANDIDATES])]
    order = ranks.groupby(table["property"]).min().sort_values(kind="stable").index.tolist()
    rows = [{**row, "sign": SIGNS.get(row["severity"], "")} for row in records(shown, SHOWN)]
    few = len(candidates) <= 12
    cells = (
        alt.Chart(data_of(rows))
        .mark_rect(stroke=colours.background, strokeWidth=2)
        .encode(
            x=alt.X(
                "candidate:N",
                sort=candidates[:MOST_CANDIDATES],
                title=None,
                axis=alt.Axis(
                    orient="top",
                    labelAngle=-30 if few else -90,
                    **name_labels(candidates[:MOST_CANDIDATES], LONGEST_LEGEND),
                ),
            ),
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
            x=alt.X("candidate:N", sort=candidates[:MOST_CANDIDATES]),
            y=alt.Y("property:N", sort=order),
            text="sign:N",
            color=alt.condition(
                "datum.severity == 'same'", alt.value(colours.ink), alt.value(colours.background)
            ),
        )
    )
    cells = alt.layer(cells, signs).properties(
        width=alt.Step(46 if few else 26), height=alt.Step(22)
    )
    matter = table[table["severity"].isin(["unfair", "caution"])]
    subtitle = [f"{count_of(len(matter), 'difference')} that may matter"]
    subtitle += not_drawn(candidates[MOST_CANDIDATES:], "candidate")
    said = " ".join(dict.fromkeys(str(text) for text in matter["meaning"].dropna()))
    return dressed(
        cells,
        theme=theme,
        title=f"{TITLE}, compared with {table['baseline'].iloc[0]}",
        subtitle=subtitle,
        description=f"{TITLE}. {said or 'Nothing recorded speaks against the comparison.'}",
    )
