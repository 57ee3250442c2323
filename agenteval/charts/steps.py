"""Two trials' steps as two lanes, with the place where they part."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import name_labels
from agenteval.charts.rows import data_of, plain, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import TrialDiff
from agenteval.comparison.wording import count_of

TITLE = "Steps of two trials"
MOST_STEPS = 400
STEP = 12
KINDS = ("message", "tool_call", "tool_result", "error", "limit", "gateway")


def steps_chart(result: TrialDiff | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw every step of both trials in the aligned order; the rule marks the first difference.

    Parameters
    ----------
    result
        A `TrialDiff`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Cells and a rule.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("neither trial kept any step", theme=theme, title=TITLE)
    colours = palette_of(theme)
    names = ("a", "b")
    if isinstance(result, TrialDiff):
        names = (result.name_a, result.name_b)
    lanes = [
        f"{side}: {name}" if name != side else side for side, name in zip("ab", names, strict=True)
    ]
    shown = table.head(MOST_STEPS)
    rows = [
        {
            "row": int(line["row"]),
            "lane": lane,
            "kind": line[f"kind_{side}"],
            "step": plain(line[f"step_{side}"]),
            "change": line["change"],
        }
        for line in shown.to_dict("records")
        for side, lane in zip("ab", lanes, strict=True)
        if plain(line[f"seq_{side}"]) is not None
    ]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    cells = (
        alt.Chart(data_of(rows))
        .mark_rect(stroke=colours.background, strokeWidth=1)
        .encode(
            x=alt.X(
                "row:O",
                title="step, aligned",
                axis=alt.Axis(labelAngle=0, values=_ticks(len(shown))),
            ),
            y=alt.Y("lane:N", sort=lanes, title=None, axis=alt.Axis(**name_labels(lanes))),
            yOffset=alt.YOffset("kind:N", sort=kinds, scale=alt.Scale(domain=kinds)),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=kinds, range=list(colours.series[: len(kinds)])),
                legend=alt.Legend(
                    title=None, orient="bottom", labelExpr="replace(datum.label, '_', ' ')"
                ),
            ),
            opacity=alt.condition("datum.change == 'same'", alt.value(0.4), alt.value(1.0)),
            tooltip=[
                alt.Tooltip("row:Q", title="aligned step"),
                alt.Tooltip("kind:N"),
                alt.Tooltip("step:N"),
                alt.Tooltip("change:N"),
            ],
        )
    )
    layers = [cells]
    parted = table.loc[table["diverges"], "row"].tolist()
    if parted and parted[0] < MOST_STEPS:
        rule = alt.Chart(data_of([{"row": int(parted[0])}])).mark_rule(
            color=colours.ink, strokeWidth=2, strokeDash=[4, 2]
        )
        layers.append(rule.encode(x=alt.X("row:O", bandPosition=0)))
    where = f"they part at step {parted[0]} (dashed)" if parted else "they are the same"
    hidden = len(table) - len(shown)
    width = min(900, max(260, 14 * len(shown)))
    return dressed(
        alt.layer(*layers).properties(width=width, height=alt.Step(STEP)),
        theme=theme,
        title=TITLE,
        subtitle=[where, *([f"{count_of(hidden, 'more step')} not drawn"] if hidden > 0 else [])],
        description=f"{TITLE}, {lanes[0]} and {lanes[1]}: {where}.",
    )


def _ticks(steps: int) -> list[int]:
    """Return the steps that are numbered on the axis, at most 25."""
    return list(range(0, steps, max(1, -(-steps // 25))))
