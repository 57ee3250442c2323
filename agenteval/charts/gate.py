"""A gate's dimensions: how much better or worse, with what the interval shows."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LABEL, label_columns, short_names
from agenteval.charts.rows import data_of, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import GateReport
from agenteval.comparison.gate_report import gain_text, verdict_words

TITLE = "Gain by dimension since the baseline"
MOST_LINES = 60
WIDTH = 380
SHOWN = ["arm", "dimension", "scale", "gain", "low", "high", "verdict", "failed"]


def gate_chart(result: GateReport | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw each dimension's gain with its 90 % limits, each on a scale of its own.

    Parameters
    ----------
    result
        A `GateReport`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.FacetChart
        A row a dimension over one data set that holds the table's own numbers. Dimensions without
        a gain are not drawn.
    """
    table = table_of(result)
    drawn = table[table["gain"].notna()]
    blank = len(table) - len(drawn)
    if drawn.empty:
        return empty_chart("no dimension has evidence on both sides", theme=theme, title=TITLE)
    colours = palette_of(theme)
    shown = drawn.head(MOST_LINES)
    rest = [
        f"{arm}: {name}" for arm, name in drawn[["arm", "dimension"]].iloc[MOST_LINES:].to_numpy()
    ]
    rows = records(shown, SHOWN)
    arms = short_names(drawn["arm"], LONGEST_LABEL)
    several = table["arm"].nunique() > 1
    before = None
    for row, whole in zip(rows, shown.to_dict("records"), strict=True):
        row["arm_text"] = "" if row["arm"] == before else arms[str(row["arm"])]
        row["dimension_text"] = row["dimension"].replace("_", " ")
        before = row["arm"]
        row["label"] = f"{row['arm']}: {row['dimension']}" if several else str(row["dimension"])
        row["outcome"] = (
            "fails" if row["failed"] else "better" if row["verdict"] == "improved" else "other"
        )
        row["text"] = f"{gain_text(whole)}, {verdict_words(str(row['verdict']))}"
    order = [row["label"] for row in rows]
    base = alt.Chart().encode(
        y=alt.Y("label:N", title=None, axis=alt.Axis(labels=False, ticks=False, domain=False)),
        color=alt.Color(
            "outcome:N",
            scale=alt.Scale(
                domain=["fails", "better", "other"],
                range=[colours.worse, colours.better, colours.neutral],
            ),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
        tooltip=[alt.Tooltip("label:N", title="dimension"), alt.Tooltip("text:N", title="gain")],
    )
    axis = alt.Axis(title=None, labels=False, ticks=False, grid=False)
    zero = (
        alt.Chart()
        .mark_rule(strokeDash=[2, 2], color=colours.muted)
        .encode(x=alt.datum(0, type="quantitative"))
    )
    limits = base.mark_rule(strokeWidth=3, opacity=0.55).encode(
        x=alt.X("low:Q", axis=axis), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("gain:Q", axis=axis),
        shape=alt.Shape(
            "outcome:N",
            scale=alt.Scale(
                domain=["fails", "better", "other"],
                range=["triangle-down", "triangle-up", "circle"],
            ),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
    )
    words = base.mark_text(align="left", fontSize=11).encode(
        text="text:N", x=alt.value(WIDTH + 14), color=alt.value(colours.ink)
    )
    columns = ["arm_text", "dimension_text"] if several else ["dimension_text"]
    heads = label_columns(base, rows, columns, colours.ink)
    failing = int(drawn["failed"].sum())
    said = f"{failing} of {len(table)} fail, {blank} without evidence on both sides"
    described = "; ".join(f"{row['label']} {row['text']}" for row in rows[:20])
    return dressed(
        alt.layer(zero, limits, dot, words, *heads, data=data_of(rows))
        .properties(width=WIDTH, height=22)
        .facet(
            row=alt.Row("label:N", sort=order, title=None, header=alt.Header(labels=False)),
            spacing=6,
        )
        .resolve_scale(x="independent", y="independent"),
        theme=theme,
        title=TITLE if several else f"{TITLE}: {table['arm'].iloc[0]}",
        subtitle=[
            said,
            "right of the line is better; each row has a scale of its own; 90 % limits",
            *not_drawn(rest, "dimension"),
        ],
        description=f"{TITLE}: {said}. {described}",
    )
