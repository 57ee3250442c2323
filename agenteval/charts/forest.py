"""A forest of differences: one line a comparison, with zero, the margin and what it detects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import label_columns, name_labels
from agenteval.charts.rows import bracket, data_of, records
from agenteval.charts.theme import Palette
from agenteval.comparison.wording import p_value, points

SHOWN = [
    "baseline", "candidate", "tasks", "difference", "low", "high", "pvalue_adjusted", "verdict",
    "margin",
]  # fmt: skip
WIDTH = 380
TITLE = "candidate minus baseline (percentage points)"


def forest_rows(
    table: pd.DataFrame, labels: list[str], more: list[str], n_text: Callable[[dict[str, Any]], str]
) -> list[dict[str, Any]]:
    """Return the rows a forest embeds: the table's own numbers and the texts beside them."""
    rows = records(table, [*SHOWN, *more])
    for row, name in zip(rows, labels, strict=True):
        row["pair_label"] = name
        row["text"] = f"{points(row['difference'])} {bracket(row['low'], row['high'])}"
        p = row["pvalue_adjusted"]
        row["says"] = row["verdict"] + ("" if p is None else f" (p {p_value(p)})")
        row["n_text"] = n_text(row)
        row["mde"] = row.get("mde")
        row["mde_low"] = None if row["mde"] is None else -row["mde"]
    return rows


def difference_forest(
    rows: list[dict[str, Any]], colours: Palette, level: str, *, columns: Sequence[str] = ()
) -> Any:
    """Draw the rows in the order given.

    Parameters
    ----------
    rows
        What `forest_rows` gives.
    colours
        Colours of the theme.
    level
        The interval in words.
    columns
        Fields that name the rows, a column each; without them it is `pair_label`.
    """
    step = 34 if len(rows) <= 12 else 21
    numbers = ("low", "high", "margin", "difference")
    reach = max(abs(row[name]) for row in rows for name in numbers if row[name] is not None)
    limit = min(1.0, reach * 1.08)
    x: dict[str, Any] = {
        "scale": alt.Scale(domain=[-limit, limit], nice=False),
        "axis": point_axis(TITLE),
    }
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "pair_label:N",
            sort=[row["pair_label"] for row in rows],
            title=None,
            axis=alt.Axis(
                ticks=False,
                domain=False,
                labels=not columns,
                labelPadding=10,
                **name_labels(row["pair_label"] for row in rows),
            ),
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
            alt.Tooltip("pair_label:N", title="comparison"),
            alt.Tooltip("text:N", title=f"points, {level}"),
            alt.Tooltip("says:N", title="verdict"),
            alt.Tooltip("n_text:N", title="n"),
            alt.Tooltip("mde:Q", title="detects", format=".1%"),
        ],
    )
    rule = base.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", **x), x2="high:Q"
    )
    dot = base.mark_point(filled=True, size=80, opacity=1).encode(x=alt.X("difference:Q", **x))
    layers = [*_background(rows, colours, x)]
    layers += [_ticks(base, column, colours, limit, x) for column in ("mde", "mde_low")]
    layers += [rule, dot, *_texts(base, rows, colours)]
    layers += label_columns(base, rows, columns, colours.ink)
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(step))


def point_axis(title: str) -> alt.Axis:
    """Return an axis of differences in percentage points, each with its sign."""
    sign = "(datum.value > 0 ? '+' : datum.value < 0 ? '\u2212' : '')"
    return alt.Axis(
        labelExpr=f"{sign} + format(abs(datum.value) * 100, '.3~g')",
        tickCount=5,
        title=title,
    )


def _texts(base: Any, rows: list[dict[str, Any]], colours: Palette) -> list[Any]:
    widest = max(len(row["says"]) for row in rows)
    verdict_at = WIDTH + 32 + 6.4 * max(len(row["text"]) for row in rows)
    text = base.mark_text(align="left").encode(
        text="text:N", x=alt.value(WIDTH + 14), color=alt.value(colours.ink)
    )
    verdict = base.mark_text(align="left").encode(text="says:N", x=alt.value(verdict_at))
    n = base.mark_text(align="left").encode(
        text="n_text:N", x=alt.value(verdict_at + 15 + 6.2 * widest), color=alt.value(colours.muted)
    )
    return [text, verdict, n]


def _background(rows: list[dict[str, Any]], colours: Palette, x: dict[str, Any]) -> list[Any]:
    margin = rows[0]["margin"]
    band = (
        alt.Chart(data_of([{"from": -margin, "to": margin}]))
        .mark_rect(color=colours.neutral, opacity=0.13)
        .encode(x=alt.X("from:Q", **x), x2="to:Q")
    )
    zero = (
        alt.Chart(data_of([{"zero": 0}]))
        .mark_rule(color=colours.muted, strokeWidth=1)
        .encode(x=alt.X("zero:Q", **x))
    )
    return [band, zero]


def _ticks(base: Any, column: str, colours: Palette, limit: float, x: dict[str, Any]) -> Any:
    return (
        base.transform_filter(f"isValid(datum.{column}) && abs(datum.{column}) <= {limit}")
        .mark_tick(thickness=1, size=8, opacity=0.8)
        .encode(x=alt.X(f"{column}:Q", **x), color=alt.value(colours.muted))
    )
