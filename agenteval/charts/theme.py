"""One look for every chart: colours that survive colour blindness and print, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

import altair as alt

from agenteval.charts.rows import data_of
from agenteval.errors import InvalidInput

Theme = Literal["light", "dark"]
FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
MOST_ROWS = 5_000
LONGEST_TITLE, LONGEST_LINE = 72, 96


@dataclass(frozen=True)
class Palette:
    """Colours by meaning.

    Attributes
    ----------
    background, ink, muted, grid
        Page, text, secondary text and lines, grid.
    accent
        The mark that carries the number.
    better, worse, neutral
        Directions (blue and vermillion, told apart by every kind of colour vision).
    shares
        The scale of shares, from 0 to 1.
    series
        Colours of arms, in order.
    """

    background: str
    ink: str
    muted: str
    grid: str
    accent: str
    better: str
    worse: str
    neutral: str
    shares: tuple[str, ...]
    series: tuple[str, ...]


PALETTES: dict[str, Palette] = {
    "light": Palette(
        background="#ffffff",
        ink="#1b1f24",
        muted="#5b6570",
        grid="#e4e7eb",
        accent="#0b5fa5",
        better="#0b6fb8",
        worse="#c2410c",
        neutral="#6b7280",
        shares=("#eef3f9", "#a9cbe8", "#3f86c4", "#0a4a85"),
        series=(
            "#0b6fb8",
            "#c2410c",
            "#00795a",
            "#8c5a00",
            "#7a3e9d",
            "#a3195b",
            "#4b5563",
            "#006d77",
        ),
    ),
    "dark": Palette(
        background="#14181d",
        ink="#e8ebef",
        muted="#a3adb8",
        grid="#2c333b",
        accent="#6db8f2",
        better="#6db8f2",
        worse="#ff9466",
        neutral="#9aa5b1",
        shares=("#1f2933", "#2b5377", "#4b91c9", "#a9d6fb"),
        series=(
            "#6db8f2",
            "#ff9466",
            "#4fd1a5",
            "#f2c14e",
            "#c8a2e8",
            "#f58ab5",
            "#b8c1cb",
            "#5fd4dc",
        ),
    ),
}


def palette_of(theme: str) -> Palette:
    """Return the colours of a theme.

    Raises
    ------
    InvalidInput
        For another name than `light` and `dark`.
    """
    if theme not in PALETTES:
        raise InvalidInput(f"theme is {theme!r}", "argument theme", "choose 'light' or 'dark'")
    return PALETTES[theme]


def dressed(
    chart: Any, *, theme: str, title: str, subtitle: list[str] | None = None, description: str
) -> Any:
    """Give a finished chart its title, its alt text and the theme's configuration."""
    colours = palette_of(theme)
    lines = [
        part for line in subtitle or [] for part in wrap(line, LONGEST_LINE, break_on_hyphens=False)
    ]
    head = alt.TitleParams(
        text=title if len(title) <= LONGEST_TITLE else wrap(title, LONGEST_TITLE, break_on_hyphens=False),
        subtitle=lines, anchor="start", frame="group",
    )  # fmt: skip
    return chart.properties(
        title=head, description=description, background=colours.background, padding=12
    ).configure(**_configuration(colours))


def _configuration(colours: Palette) -> dict[str, Any]:
    return {
        "font": FONT,
        "view": {"stroke": None},
        "title": {
            "fontSize": 15,
            "fontWeight": 600,
            "color": colours.ink,
            "subtitleColor": colours.muted,
            "subtitleFontSize": 12,
            "subtitlePadding": 5,
            "offset": 14,
        },
        "axis": {
            "labelColor": colours.ink,
            "titleColor": colours.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "gridColor": colours.grid,
            "domainColor": colours.grid,
            "tickColor": colours.grid,
            "labelLimit": 330,
            "labelSeparation": 7,
        },
        "legend": {
            "labelColor": colours.ink,
            "titleColor": colours.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 220,
            "symbolLimit": 60,
        },
        "header": {
            "labelColor": colours.ink,
            "titleColor": colours.muted,
            "labelFontSize": 12,
            "labelFontWeight": 600,
        },
        "text": {"color": colours.ink, "fontSize": 12},
    }


def empty_chart(message: str, *, theme: str, title: str) -> Any:
    """Say in the chart's place why there is nothing to draw."""
    colours = palette_of(theme)
    text = (
        alt.Chart(data_of([{"message": message}]))
        .mark_text(fontSize=13, color=colours.muted, align="left", baseline="middle")
        .encode(text="message:N", x=alt.value(0), y=alt.value(30))
        .properties(width=420, height=60)
    )
    return dressed(text, theme=theme, title=title, description=f"{title}: {message}.")
