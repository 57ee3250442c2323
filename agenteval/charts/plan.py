"""What a number of tasks can show: power and detectable difference, one line a number of repeats."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import data_of, not_drawn, plain, records
from agenteval.charts.series import MOST_SERIES, one_legend, series_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import StudyPlan
from agenteval.comparison.wording import count_of, percent, points

TITLE = "What a plan can show"
WIDTH, HEIGHT = 300, 240


def plan_chart(result: StudyPlan, *, theme: Theme = "light") -> Any:
    """Draw a plan: left the chance to show the effect, right the smallest difference shown.

    The upright line marks the tasks there are, the dots what is needed; further down on the right is
    better. Lines of more repeats that lie close together say that repeats do not help here.

    Parameters
    ----------
    result
        A `StudyPlan`.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Two panels over one data set that holds the plan's own curves.
    """
    colours = palette_of(theme)
    if result.table.empty:
        return empty_chart("there is no number of repeats to draw", theme=theme, title=TITLE)
    counts = [int(count) for count in result.table["repeats"]][:MOST_SERIES]
    curves = result.curves[result.curves["repeats"].isin(counts)]
    rows = records(curves, ["repeats", "tasks", "power", "mde"])
    for row in rows:
        row["line"] = str(row["repeats"])
    needed = [
        {**row, "line": str(row["repeats"]), "mde": result.effect}
        for row in records(result.table.head(MOST_SERIES), ["repeats", "tasks", "power"])
    ]
    here = plain(result.table["tasks_here"].iloc[0])
    left = _panel(rows, needed, "power", "chance to show it", counts, here, colours)
    right = _panel(rows, needed, "mde", "smallest difference shown (points)", counts, here, colours)
    best = result.recommended
    title = f"What it takes to show {points(result.effect, signed=False)} points"
    return dressed(
        one_legend(alt.hconcat(left, right, spacing=36)),
        theme=theme,
        title=title,
        subtitle=_subtitle(result, here),
        description=(
            f"{title}: {count_of(best['tasks'], 'task')} with {count_of(best['repeats'], 'repeat')} "
            f"have a chance of {percent(best['power'], digits=0)}. {result.verdict}"
        ),
    )


def _subtitle(result: StudyPlan, here: int | None) -> list[str]:
    rest = [str(count) for count in result.table["repeats"][MOST_SERIES:]]
    lines = [
        f"lines: repeats of each task; dots: what a chance of {percent(result.power, digits=0)} needs"
    ]
    if here is not None:
        lines.append(f"dashed: the {count_of(here, 'task')} there are")
    return lines + not_drawn(rest, "number of repeats", "numbers of repeats")


def _panel(
    rows: list[dict[str, Any]],
    needed: list[dict[str, Any]],
    column: str,
    title: str,
    counts: list[int],
    here: int | None,
    colours: Palette,
) -> Any:
    order = [str(count) for count in counts]
    label = "%" if column == "power" else "format(datum.value * 100, '.3~g')"
    axis = (
        alt.Axis(format=label, title=title, tickCount=6)
        if column == "power"
        else alt.Axis(labelExpr=label, title=title, tickCount=6)
    )
    x = alt.X(
        "tasks:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(title="tasks", format="~s", tickCount=5),
    )
    y = alt.Y(f"{column}:Q", scale=alt.Scale(domain=[0, 1] if column == "power" else _top(rows)))
    series = series_of(order, colours, field="line", title="repeats", orient="right")
    shown = pd.DataFrame(rows)
    base = alt.Chart(data_of(shown.to_dict("records"))).encode(
        x=x,
        y=y.axis(axis),
        color=series.color,
        tooltip=[
            alt.Tooltip("line:N", title="repeats"),
            alt.Tooltip("tasks:Q"),
            alt.Tooltip("power:Q", format=".0%"),
            alt.Tooltip("mde:Q", title="smallest difference shown", format=".1%"),
        ],
    )
    dots = (
        alt.Chart(data_of(needed))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x=x, y=y.axis(axis), color=series.color, shape=series.shape)
    )
    layers = [base.mark_line(strokeWidth=2).encode(strokeDash=series.dash), dots]
    if here is not None and here > 1:
        layers.insert(
            0,
            alt.Chart(data_of([{"tasks": here}]))
            .mark_rule(color=colours.muted, strokeDash=[4, 3])
            .encode(x=x),
        )
    return one_legend(alt.layer(*layers)).properties(width=WIDTH, height=HEIGHT)


def _top(rows: list[dict[str, Any]]) -> list[float]:
    return [0.0, min(1.0, max(row["mde"] for row in rows))]
