"""What one trial did, step by step: its tools, how they went, how long they took."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import data_of, records, table_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Timeline
from agenteval.comparison.wording import count_of, known, seconds

TITLE = "Steps of one trial"
MOST_STEPS = 1_000
LANES = (
    "message", "read", "search", "edit", "shell", "web", "mcp", "skill", "other", "error", "limit",
    "gateway",
)  # fmt: skip
OUTCOMES = ("ok", "failed", "unknown")
CROSS = "M-1,-1L1,1M-1,1L1,-1"
SHOWN = ["step", "seq", "turn", "lane", "tool", "outcome", "duration_s", "start_s", "what"]
LONGEST = 160


def timeline_chart(result: Timeline | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the steps of a trial from left to right, one lane a kind of tool.

    A cross is a step that failed. Where tools say how long they took, bars below the lanes show it.
    At most the first 1,000 steps are drawn.

    Parameters
    ----------
    result
        A `Timeline`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Marks, and bars of time where it is known, over the table's own values.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("the trial kept no step", theme=theme, title=TITLE)
    rows = records(table.head(MOST_STEPS), SHOWN)
    for row in rows:
        row["what"] = str(row["what"] or "")[:LONGEST]
        row["time"] = seconds(row["duration_s"])
    colours = palette_of(theme)
    width = min(900, max(280, 12 * len(rows)))
    x = alt.X(
        "step:Q",
        title="step",
        scale=alt.Scale(domain=[0.5, len(rows) + 0.5], nice=False),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False, labelOverlap=True),
    )
    panels = [_lanes(rows, x, width, colours)]
    if any(known(row["duration_s"]) for row in rows):
        panels.append(_times(rows, x, width, colours))
    name = result.name if isinstance(result, Timeline) else "trial"
    said = result.verdict if isinstance(result, Timeline) else f"{count_of(len(table), 'step')}."
    hidden = len(table) - len(rows)
    subtitle = [said.removeprefix(f"{name}: ").rstrip(".")]
    subtitle += [f"{count_of(hidden, 'more step')} not drawn"] if hidden else []
    return dressed(
        alt.vconcat(*panels, spacing=14).resolve_scale(x="shared"),
        theme=theme,
        title=TITLE if name == "trial" else f"{TITLE}: {name}",
        subtitle=subtitle,
        description=f"{TITLE}, {said}",
    )


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("step:Q", title="step"),
        alt.Tooltip("turn:Q", title="turn"),
        alt.Tooltip("lane:N", title="kind"),
        alt.Tooltip("tool:N", title="tool"),
        alt.Tooltip("what:N", title="what"),
        alt.Tooltip("outcome:N", title="outcome"),
        alt.Tooltip("time:N", title="time"),
    ]


def _lanes(rows: list[dict[str, Any]], x: Any, width: int, colours: Palette) -> Any:
    lanes = [lane for lane in LANES if any(row["lane"] == lane for row in rows)]
    legend = alt.Legend(title=None, orient="bottom", columns=3)
    return (
        alt.Chart(data_of(rows))
        .mark_point(size=60 if len(rows) <= 120 else 24, strokeWidth=2, opacity=1)
        .encode(
            x=x,
            y=alt.Y(
                "lane:N",
                sort=lanes,
                scale=alt.Scale(domain=lanes),
                title=None,
                axis=alt.Axis(ticks=False, domain=False, grid=True, labelPadding=8),
            ),
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(
                    domain=list(OUTCOMES), range=[colours.better, colours.worse, colours.neutral]
                ),
                legend=legend,
            ),
            shape=alt.Shape(
                "outcome:N",
                scale=alt.Scale(domain=list(OUTCOMES), range=["circle", CROSS, "diamond"]),
                legend=legend,
            ),
            tooltip=_tips(),
        )
        .properties(width=width, height=alt.Step(26))
    )


def _times(rows: list[dict[str, Any]], x: Any, width: int, colours: Palette) -> Any:
    bar = max(1.0, min(8.0, 0.7 * width / len(rows)))
    return (
        alt.Chart(data_of(rows))
        .mark_bar(color=colours.accent, size=bar)
        .encode(
            x=x,
            y=alt.Y("duration_s:Q", title="time (s)", axis=alt.Axis(tickCount=3)),
            tooltip=_tips(),
        )
        .properties(width=width, height=80)
    )
