"""Small bar charts side by side: one panel a category, one bar an arm, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from agenteval.charts.names import name_labels
from agenteval.charts.rows import data_of
from agenteval.charts.theme import Palette

WIDTH = 170
MOST_PANELS, MOST_ARMS = 9, 60


def bar_panels(
    rows: Sequence[dict[str, Any]],
    *,
    panels: Mapping[str, str],
    arms: Sequence[str],
    title: str,
    axis_format: str,
    together: bool,
    colours: Palette,
) -> Any:
    """Draw rows of `panel`, `arm_label`, `value`, `low`, `high`, `text`, `n_text`.

    Parameters
    ----------
    rows
        What is drawn; a row without a value shows its text alone.
    panels
        Categories in order, with the line under each name; either all have one or none.
    arms
        Arms in order.
    title
        Title of the axes, with the unit.
    axis_format
        Format of the axes, as d3 spells it.
    together
        Whether all panels share one scale, for values that are compared across them.
    colours
        Colours of the theme.
    """
    in_a_row = 2 if len(panels) == 4 else 3
    ends = {name: _end([row for row in rows if row["panel"] == name]) for name in panels}
    if together:
        ends = dict.fromkeys(ends, max(ends.values()))
    text_width = 7 * max((len(row["text"]) for row in rows), default=1) + 24
    made = [
        _panel(
            [row for row in rows if row["panel"] == name], name, below, list(arms),
            alt.Axis(title=title, format=axis_format, tickCount=3), ends[name], colours,
            labelled=i % in_a_row == 0,
        )
        for i, (name, below) in enumerate(panels.items())
    ]  # fmt: skip
    lines = [
        alt.hconcat(*made[i : i + in_a_row], spacing=text_width)
        for i in range(0, len(made), in_a_row)
    ]
    return alt.vconcat(*lines, spacing=26)


def _end(rows: list[dict[str, Any]]) -> float:
    known = [row[name] for row in rows for name in ("value", "high") if row[name] is not None]
    return max(known, default=0.0) or 1.0


def _panel(
    rows: list[dict[str, Any]],
    name: str,
    below: str,
    arms: list[str],
    axis: alt.Axis,
    end: float,
    colours: Palette,
    *,
    labelled: bool,
) -> Any:
    step = 24 if len(arms) <= 12 else 17
    x: dict[str, Any] = {"scale": alt.Scale(domain=[0, end], nice=False), "axis": axis}
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "arm_label:N",
            sort=arms,
            scale=alt.Scale(domain=arms),
            title=None,
            axis=alt.Axis(
                ticks=False, domain=False, labels=labelled, labelPadding=8, **name_labels(arms)
            ),
        ),
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("panel:N", title="what"),
            alt.Tooltip("tip:N", title=str(axis.title)),
            alt.Tooltip("n_text:N", title="n"),
        ],
    )
    bar = base.mark_bar(color=colours.accent, opacity=0.45, height=step * 0.5).encode(
        x=alt.X("value:Q", **x)
    )
    rule = base.mark_rule(color=colours.ink, strokeWidth=1.5, opacity=0.8).encode(
        x=alt.X("low:Q", **x), x2="high:Q"
    )
    text = base.mark_text(align="left", fontSize=11).encode(
        text="text:N", x=alt.value(WIDTH + 8), color=alt.value(colours.ink)
    )
    head = alt.TitleParams(
        name, subtitle=below, fontSize=12, subtitleFontSize=11, anchor="start", frame="bounds",
        offset=8, color=colours.ink, subtitleColor=colours.muted,
    )  # fmt: skip
    return alt.layer(bar, rule, text).properties(title=head, width=WIDTH, height=alt.Step(step))
