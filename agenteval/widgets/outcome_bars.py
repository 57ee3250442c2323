"""What the explorer draws: outcomes by group, to be brushed."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.rows import data_of
from agenteval.charts.theme import dressed, palette_of
from agenteval.widgets.live_chart import BRUSH

MOST_GROUPS = 30
LABELS = {
    "task_id": "task", "run_id": "run", "suite": "suite", "category": "category", "arm": "arm",
    "status": "status", "ended_by": "ended by", "error_class": "error class",
}  # fmt: skip
_OUTCOMES = ("pass", "fail", "error", "skipped")


def outcome_bars(groups: pd.DataFrame, by: str) -> Any:
    """Draw trials by outcome and group; dragging over bars chooses groups.

    Parameters
    ----------
    groups
        As `TrialIndex.groups` gives it, in the order to draw.
    by
        Column it was counted by.
    """
    colours = palette_of("light")
    shown, rest = groups.head(MOST_GROUPS), len(groups) - MOST_GROUPS
    rows = [
        {"group": row["name"], "outcome": outcome, "trials": int(row[outcome]), "order": order}
        for row in shown.to_dict("records")
        for order, outcome in enumerate(_OUTCOMES)
        if row[outcome]
    ]
    names = shown["name"].tolist()
    # shades as well as hues, so that the order can be read without colours
    scale = alt.Scale(
        domain=list(_OUTCOMES), range=[colours.better, "#f0a883", colours.worse, "#c9ced6"]
    )
    chart = (
        alt.Chart(data_of(rows))
        .mark_bar(stroke=colours.background, strokeWidth=1)
        .encode(
            y=alt.Y("group:N", sort=names, title=None, scale=alt.Scale(domain=names)),
            x=alt.X("trials:Q", title="trials", axis=alt.Axis(tickMinStep=1, format="~s")),
            color=alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
            order=alt.Order("order:Q"),
            opacity=alt.condition(alt.param(BRUSH), alt.value(1.0), alt.value(0.35)),
            tooltip=[
                alt.Tooltip("group:N", title=LABELS[by]),
                alt.Tooltip("outcome:N"),
                alt.Tooltip("trials:Q", format=",d"),
            ],
        )
        .add_params(alt.selection_interval(name=BRUSH, encodings=["y"]))
        .properties(width=560, height=alt.Step(18))
    )
    title = f"Outcomes by {LABELS[by]}, most failures first"
    more = [f"{rest} more are not drawn: filter or search for them"] if rest > 0 else []
    first = shown.iloc[0] if len(shown) else None
    told = (
        "no trial" if first is None else
        f"{first['name']} has {first['fail'] + first['error']} of {first['trials']} trials not passed"
    )  # fmt: skip
    return dressed(
        chart,
        theme="light",
        title=title,
        subtitle=["drag over bars to choose", *more],
        description=f"{title}: {len(groups)} groups; {told}.",
    )
