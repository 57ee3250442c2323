"""Forest of paired differences: candidate minus baseline, with zero and the margin."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import bracket, data_of, plain, records, table_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import HeadToHead
from agenteval.comparison.verdict import pair_size, sentence
from agenteval.comparison.wording import listed, p_value, points

TITLE = "Difference in pass rate"
MOST_PAIRS = 60
SHOWN = [
    "baseline", "candidate", "tasks", "trials_baseline", "trials_candidate", "difference", "low",
    "high", "pvalue_adjusted", "verdict", "margin", "mde",
]  # fmt: skip


def difference_chart(comparison: HeadToHead | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw a head-to-head table: paired differences with intervals, the largest on top.

    Right of zero the candidate passes more. The shaded band is the margin: an interval that reaches
    beyond it on both sides cannot tell. Short ticks mark the difference that this size detects four
    times out of five. At most 60 rows are drawn, the others named.

    Parameters
    ----------
    comparison
        A `HeadToHead`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(comparison)
    if table.empty:
        return empty_chart("there is no comparison to draw", theme=theme, title=TITLE)
    one = table["baseline"].nunique() == 1
    table = table.sort_values("difference", ascending=False, kind="stable")
    rows = records(table.head(MOST_PAIRS), SHOWN)
    for row in rows:
        pair = f"{row['candidate']} against {row['baseline']}"
        row["pair_label"] = str(row["candidate"]) if one else pair
        row["text"] = f"{points(row['difference'])} {bracket(row['low'], row['high'])}"
        row["says"] = f"{row['verdict']} (p {p_value(row['pvalue_adjusted'])})"
        row["n_text"] = pair_size(row)
        row["mde_low"] = None if row["mde"] is None else -row["mde"]
    level = f"{100 * plain(table['level'].iloc[0]):g} % interval"
    head = f"{TITLE} from {table['baseline'].iloc[0]}" if one else TITLE
    said = [sentence(row, comparisons=len(table)) for row in table.head(10).to_dict("records")]
    return dressed(
        _layers(rows, palette_of(theme), level),
        theme=theme,
        title=head,
        subtitle=_subtitle(table, level),
        description=" ".join(said),
    )


def _subtitle(table: pd.DataFrame, level: str) -> list[str]:
    margin = points(table["margin"].iloc[0], signed=False)
    lines = [f"{level}, paired on tasks; shaded: within the margin of {margin} points"]
    if table["mde"].notna().any():
        lines.append("short ticks: the difference that this size detects four times out of five")
    rest = table["candidate"].iloc[MOST_PAIRS:].tolist()
    return lines + ([f"{len(rest)} more are not drawn: {listed(rest)}"] if rest else [])


def _layers(rows: list[dict[str, Any]], colours: Palette, level: str) -> Any:
    width, step = 380, 34 if len(rows) <= 12 else 21
    reach = max(
        abs(value)
        for row in rows
        for value in (row["low"], row["high"], row["margin"], row["difference"])
        if value is not None
    )
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "pair_label:N",
            sort=[row["pair_label"] for row in rows],
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelPadding=10),
        ),
        color=alt.Color(
            "verdict:N",
            scale=alt.Scale(
                domain=["better", "worse", "no difference shown", "cannot tell"],
                range=[colours.better, colours.worse, colours.neutral, colours.neutral],
            ),
            legend=None,
        ),
        tooltip=[
            alt.Tooltip("candidate:N", title="candidate"),
            alt.Tooltip("baseline:N", title="baseline"),
            alt.Tooltip("text:N", title=f"points, {level}"),
            alt.Tooltip("verdict:N", title="verdict"),
            alt.Tooltip("pvalue_adjusted:Q", title="p, adjusted", format=".3f"),
            alt.Tooltip("n_text:N", title="n"),
            alt.Tooltip("mde:Q", title="detects", format=".1%"),
        ],
    )
    limit = min(1.0, reach * 1.08)
    scale = alt.Scale(domain=[-limit, limit], nice=False)
    axis = alt.Axis(
        labelExpr="(datum.value > 0 ? '+' : datum.value < 0 ? '\u2212' : '') + format(abs(datum.value) * 100, '.3~g')",
        tickCount=7,
        title="candidate minus baseline (percentage points)",
    )
    rule = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("difference:Q", scale=scale, axis=axis)
    )
    text = base.mark_text(align="left").encode(
        text="text:N", x=alt.value(width + 14), color=alt.value(colours.ink)
    )
    verdict = base.mark_text(align="left").encode(text="says:N", x=alt.value(width + 140))
    n = base.mark_text(align="left").encode(
        text="n_text:N", x=alt.value(width + 310), color=alt.value(colours.muted)
    )
    behind = _background(rows, colours, scale, axis)
    detects = [_ticks(base, column, colours, scale, axis) for column in ("mde", "mde_low")]
    layers = [*behind, *detects, rule, dot, text, verdict, n]
    return alt.layer(*layers).properties(width=width, height=alt.Step(step))


def _background(rows: list[dict[str, Any]], colours: Palette, scale: Any, axis: Any) -> list[Any]:
    margin = rows[0]["margin"]
    band = (
        alt.Chart(data_of([{"from": -margin, "to": margin}]))
        .mark_rect(color=colours.neutral, opacity=0.13)
        .encode(x=alt.X("from:Q", scale=scale, axis=axis), x2="to:Q")
    )
    zero = (
        alt.Chart(data_of([{"zero": 0}]))
        .mark_rule(color=colours.muted, strokeWidth=1)
        .encode(x=alt.X("zero:Q", scale=scale, axis=axis))
    )
    return [band, zero]


def _ticks(base: Any, column: str, colours: Palette, scale: Any, axis: Any) -> Any:
    return (
        base.transform_filter(f"abs(datum.{column}) <= {scale.domain[1]}")
        .mark_tick(thickness=1, size=8, opacity=0.8)
        .encode(x=alt.X(f"{column}:Q", scale=scale, axis=axis), color=alt.value(colours.muted))
    )
