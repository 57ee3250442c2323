"""How arms are told apart in one panel: by colour, and again by shape and dash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from agenteval.charts.names import LONGEST_LEGEND, name_labels, short_names
from agenteval.charts.theme import Palette

MOST_SERIES = 8
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4], [5, 2, 1, 2], [1, 4], [10, 2, 2, 2, 2, 2])
LETTER = 7.0


@dataclass(frozen=True)
class Series:
    """Encodings over one field; with the same names and title they share one legend.

    Attributes
    ----------
    color, shape, dash
        Encodings of colour, of the shape of points and of the dashes of lines.
    """

    color: Any
    shape: Any
    dash: Any


def series_of(
    names: Sequence[str],
    colours: Palette,
    *,
    field: str = "arm_label",
    title: str | None = None,
    width: int = 500,
    orient: Literal["bottom", "right"] = "bottom",
) -> Series:
    """Tell up to eight names apart, readable without colour.

    Parameters
    ----------
    names
        The names in the order of the legend, at most eight.
    colours
        Colours of the theme.
    field
        Field that holds them.
    title
        Title of the legend.
    width
        Width of the chart in pixels: the legend takes as many columns as fit.
    orient
        Side of the legend.
    """
    order = list(names)[:MOST_SERIES]
    legend = alt.Legend(
        title=title,
        orient=orient,
        columns=legend_columns(list(short_names(order, LONGEST_LEGEND).values()), width)
        if orient == "bottom"
        else 1,
        symbolSize=70,
        symbolStrokeWidth=2,
        symbolOpacity=1,
        **name_labels(order, LONGEST_LEGEND),
    )
    # the dash has no legend of its own: drawn around a symbol it only frays the shape
    common: dict[str, Any] = {"sort": order, "legend": legend}

    def scale(values: Sequence[Any]) -> alt.Scale:
        return alt.Scale(domain=order, range=list(values[: len(order)]))

    return Series(
        color=alt.Color(f"{field}:N", scale=scale(colours.series), **common),
        shape=alt.Shape(f"{field}:N", scale=scale(SHAPES), **common),
        dash=alt.StrokeDash(f"{field}:N", scale=scale(DASHES), sort=order, legend=None),
    )


def legend_columns(names: Sequence[str], width: int) -> int:
    """Return how many names fit side by side."""
    widest = max((min(len(name), 30) for name in names), default=1) * LETTER + 36
    return max(1, min(len(names), int(width // widest)))


def one_legend(chart: Any) -> Any:
    """Keep the legend that has none, that of the dashes, out of the one that is shared."""
    return chart.resolve_legend(strokeDash="independent")
