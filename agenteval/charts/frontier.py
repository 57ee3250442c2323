"""Cost against quality, with interval crosses and the frontier."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.label_places import AWAY, label_places
from agenteval.charts.names import LONGEST_LEGEND, short_names
from agenteval.charts.quantities import UNITS, amount, quantity_words
from agenteval.charts.rows import (
    bracket,
    data_of,
    labels_of,
    leading_columns,
    not_drawn,
    records,
    table_of,
)
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Frontier
from agenteval.comparison.wording import count_of, listed, percent

TITLE = "Cost and quality"
MOST_ARMS = 60
ALL_NAMED = 12
WIDTH, HEIGHT = 520, 340
SHOWN = [
    "rate", "low", "high", "cost", "cost_low", "cost_high", "on_frontier", "frontier_probability",
    "dominated_by", "tasks",
]  # fmt: skip


def frontier_chart(result: Frontier | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw arms by mean cost and pass rate; a stepped line joins those that none beats on both.

    Up and to the left is better. Crosses are the intervals; filled dots are on the frontier, and the
    number beside a name is the probability of that. At most 60 arms are drawn (the likeliest); of more
    than 12 only those on the frontier have their names beside them, and none where it would cover
    another. Arms without a known cost are named, since nothing can be drawn of them.

    Parameters
    ----------
    result
        A `Frontier`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no arm to draw", theme=theme, title=TITLE)
    keys = leading_columns(table, "tasks")
    table = table.assign(arm_label=labels_of(table, keys))
    order = table.sort_values("frontier_probability", ascending=False, kind="stable")
    shown, rest = order.head(MOST_ARMS), order["arm_label"].iloc[MOST_ARMS:].tolist()
    column = result.column if isinstance(result, Frontier) else "cost_usd"
    rows = records(shown, ["arm_label", *SHOWN])
    for row in rows:
        row["rate_text"] = f"{percent(row['rate'])} {bracket(row['low'], row['high'])}"
        limits = ", ".join(amount(column, row[name]) for name in ("cost_low", "cost_high"))
        row["cost_text"] = f"{amount(column, row['cost'])} [{limits}]"
    end = _name_points(rows)
    level = f"{100 * result.level:g} % intervals" if isinstance(result, Frontier) else "intervals"
    on = [row["arm_label"] for row in rows if row["on_frontier"]]
    unknown = result.without_cost if isinstance(result, Frontier) else ()
    missing = [f"without a known {quantity_words(column)}, so not here: {listed(unknown)}"]
    subtitle = [
        f"{level} over {count_of(int(table['tasks'].iloc[0]), 'task')} all share; in brackets the probability of being on the frontier",
        *(missing if unknown else []),
        *_unnamed(rows),
        *not_drawn(rest, "arm"),
    ]
    said = [f"{row['arm_label']} {row['cost_text']}, {row['rate_text']}" for row in rows]
    more = [f"{len(said) - 10} more in the chart"] if len(said) > 10 else []
    parts = [
        f"{quantity_words(column).capitalize()} and pass rate",
        f"On the frontier: {listed(on, most=10)}",
        "; ".join(said[:10] + more),
        *(text[0].upper() + text[1:] for text in missing if unknown),
    ]
    return dressed(
        _layers(rows, column, end, palette_of(theme)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=". ".join(parts) + ".",
    )


def _name_points(rows: list[dict[str, Any]]) -> float:
    """Say which points have their name beside them, and where; return where the axis ends."""
    end = 1.05 * max(row["cost_high"] for row in rows) or 1.0
    short = short_names([row["arm_label"] for row in rows], LONGEST_LEGEND)
    for row in rows:
        row["name"] = (
            f"{short[row['arm_label']]} ({percent(row['frontier_probability'], digits=0)})"
        )
        row["place"] = ""
    wanted = [row for row in rows if row["on_frontier"] or len(rows) <= ALL_NAMED]
    points = [
        (WIDTH * row["cost"] / end, HEIGHT * (1 - row["rate"]), row["name"]) for row in wanted
    ]
    for row, place in zip(wanted, label_places(points, WIDTH, HEIGHT), strict=True):
        row["place"] = place
    return end


def _unnamed(rows: list[dict[str, Any]]) -> list[str]:
    on = [row for row in rows if row["on_frontier"]]
    if all(row["place"] for row in rows):
        return []
    named = sum(bool(row["place"]) for row in on)
    if named == len(on):
        return ["beside a point its name where it is on the frontier; tooltips name the others"]
    return [
        f"{named} of the {len(on)} on the frontier have room for their names; tooltips name all"
    ]


def _layers(rows: list[dict[str, Any]], column: str, end: float, colours: Palette) -> Any:
    what = quantity_words(column)
    unit = f" ({UNITS[column]})" if column in UNITS else ""
    dollar = column.endswith("usd")
    x_axis = alt.Axis(
        title=f"{what} a trial{unit}, mean over tasks",
        format="$,.3~r" if dollar else ",.3~r",
        grid=False,
        tickCount=6,
    )
    y_axis = alt.Axis(title="pass rate (%), mean over tasks", format=".0%", tickCount=5)
    x: dict[str, Any] = {"scale": alt.Scale(domain=[0, end], nice=False), "axis": x_axis}
    y: dict[str, Any] = {"scale": alt.Scale(domain=[0, 1]), "axis": y_axis}
    base = alt.Chart(data_of(rows)).encode(
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("rate_text:N", title="pass rate"),
            alt.Tooltip("cost_text:N", title=what),
            alt.Tooltip("tasks:Q", title="tasks"),
            alt.Tooltip("frontier_probability:Q", title="on the frontier", format=".0%"),
            alt.Tooltip("dominated_by:N", title="beaten by"),
        ]
    )
    colour = alt.condition(
        "datum.on_frontier", alt.value(colours.accent), alt.value(colours.neutral)
    )
    across = base.mark_rule(opacity=0.4, strokeWidth=1.5).encode(
        x=alt.X("cost_low:Q", **x), x2="cost_high:Q", y=alt.Y("rate:Q", **y), color=colour
    )
    up = base.mark_rule(opacity=0.4, strokeWidth=1.5).encode(
        y=alt.Y("low:Q", **y), y2="high:Q", x=alt.X("cost:Q", **x), color=colour
    )
    dots = base.mark_point(size=80, opacity=1, strokeWidth=2).encode(
        x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), color=colour,
        fill=alt.condition(
            "datum.on_frontier", alt.value(colours.accent), alt.value(colours.background)
        ),
    )  # fmt: skip
    line = (
        base.transform_filter("datum.on_frontier")
        .mark_line(
            interpolate="step-after", strokeDash=[5, 4], strokeWidth=1.5, color=colours.accent
        )
        .encode(x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), order="cost:Q")
    )
    names = [
        layer
        for place in sorted({row["place"] for row in rows} - {""})
        for layer in _names(
            base.transform_filter(f"datum.place == '{place}'"), place, x, y, colours
        )
    ]
    return alt.layer(line, across, up, dots, *names).properties(width=WIDTH, height=HEIGHT)


def _names(
    base: Any, place: str, x: dict[str, Any], y: dict[str, Any], colours: Palette
) -> list[Any]:
    """Write names at one side of their points, on a rim of background that lifts them off the crosses."""
    across, updown = place.split()
    text = base.mark_text(
        align="left" if across == "right" else "right",
        dx=AWAY[across],
        dy=AWAY[updown],
        fontSize=11,
    ).encode(x=alt.X("cost:Q", **x), y=alt.Y("rate:Q", **y), text="name:N")
    ink = alt.condition("datum.on_frontier", alt.value(colours.ink), alt.value(colours.muted))
    rim = text.encode(
        stroke=alt.value(colours.background), strokeWidth=alt.value(3), opacity=alt.value(0.85)
    )
    return [rim, text.encode(color=ink)]
