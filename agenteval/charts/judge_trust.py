"""A judge beside people: calibration of its scores, and the four cells of verdicts."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LABEL, shortened
from agenteval.charts.rows import data_of, records
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import JudgeTrust
from agenteval.comparison.wording import number, percent

TITLE = "A judge beside people"


def judge_trust_chart(result: JudgeTrust, *, theme: Theme = "light") -> Any:
    """Draw calibration and confusion of each judge: one row a rubric and judge.

    Left, the share of work that people pass against the score the judge gave; on the diagonal a
    score means what it says. Hollow marks rest on fewer than ten trials. Right, how often judge and
    people say pass or fail.

    Parameters
    ----------
    result
        What `judge_trust` gives.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels, at most four judges.
    """
    table = result.table[result.table["labelled"] > 0].head(4)
    if table.empty:
        return empty_chart("nobody labelled what was judged", theme=theme, title=TITLE)
    colours = palette_of(theme)
    several = result.table["rubric"].nunique() > 1
    panels, said = [], []
    for row in table.to_dict("records"):
        name = f"{row['judge']}, rubric {row['rubric']}" if several else str(row["judge"])
        panels.append(
            alt.hconcat(
                _calibration(_of(result.calibration, row), name, colours),
                _confusion(_of(result.confusion, row), colours),
                spacing=40,
            )
        )
        said.append(
            f"{name}: {row['verdict']}, kappa {number(row['kappa'], digits=2)}, agreement {percent(row['agreement'])}"
        )
    return dressed(
        alt.vconcat(*panels, spacing=30),
        theme=theme,
        title=TITLE,
        subtitle=said,
        description=f"{TITLE}. {'; '.join(said)}.",
    )


def _of(table: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    if table.empty:
        return table
    return table[(table["rubric"] == row["rubric"]) & (table["judge"] == row["judge"])]


def _calibration(table: pd.DataFrame, name: str, colours: Palette) -> Any:
    rows = records(table, ["predicted", "observed", "low", "high", "n", "enough"])
    for row in rows:
        row["text"] = f"{percent(row['observed'])} of {row['n']:.0f}"
    share = alt.Scale(domain=[0, 1])
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "predicted:Q",
            scale=share,
            axis=alt.Axis(
                title=f"score of {shortened(name, LONGEST_LABEL)}", grid=False, tickCount=5
            ),
        ),
        tooltip=[
            alt.Tooltip("predicted:Q", title="mean score", format=".2f"),
            alt.Tooltip("text:N", title="people pass"),
        ],
    )
    axis = alt.Axis(format=".0%", tickCount=5, title="people pass (%)")
    line = (
        alt.Chart(data_of([{"a": 0, "b": 0}, {"a": 1, "b": 1}]))
        .mark_line(color=colours.muted, strokeDash=[4, 4], strokeWidth=1)
        .encode(x=alt.X("a:Q", scale=share), y=alt.Y("b:Q", scale=share, axis=axis))
    )
    bars = base.mark_rule(color=colours.accent, strokeWidth=1.5).encode(
        y=alt.Y("low:Q", scale=share, axis=axis), y2="high:Q"
    )
    marks = base.mark_point(size=70, color=colours.accent, strokeWidth=1.5).encode(
        y=alt.Y("observed:Q", scale=share, axis=axis),
        fill=alt.condition(
            "datum.enough", alt.value(colours.accent), alt.value(colours.background)
        ),
    )
    return alt.layer(line, bars, marks).properties(width=260, height=240)


def _confusion(table: pd.DataFrame, colours: Palette) -> Any:
    rows = records(table, ["people", "judge_says", "n"])
    whole = max(sum(row["n"] for row in rows), 1)
    for row in rows:
        row["share"], row["text"] = row["n"] / whole, str(row["n"])
        row["agrees"] = row["people"] == row["judge_says"]
    order = ["pass", "fail"]
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X("judge_says:N", sort=order, axis=alt.Axis(title="the judge says", labelAngle=0)),
        y=alt.Y("people:N", sort=order, axis=alt.Axis(title="people say")),
        tooltip=[
            alt.Tooltip("people:N", title="people"),
            alt.Tooltip("judge_says:N", title="judge"),
            alt.Tooltip("n:Q", title="trials"),
        ],
    )
    cells = base.mark_rect(stroke=colours.grid).encode(
        color=alt.Color(
            "share:Q", scale=alt.Scale(domain=[0, 1], range=list(colours.shares)), legend=None
        )
    )
    texts = base.mark_text(fontSize=15, fontWeight=600).encode(
        text="text:N",
        color=alt.condition(
            "datum.share > 0.45", alt.value(colours.background), alt.value(colours.ink)
        ),
    )
    return alt.layer(cells, texts).properties(width=180, height=180)
