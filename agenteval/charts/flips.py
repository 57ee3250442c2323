"""Slopes of the tasks from baseline to candidate: what was gained and what was lost."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LEGEND, short_names
from agenteval.charts.rows import data_of, plain, table_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Flips, HeadToHead
from agenteval.comparison.wording import count_of, listed, percent

TITLE = "Tasks gained and lost"
ORDER = ("same", "gained", "lost")
ENDS = ("baseline", "candidate")
WIDTH, HEIGHT = 340, 320
LONGEST_HEAD, LONGEST_LIST = 36, 70


def flips_chart(comparison: Flips | HeadToHead | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the flips of one candidate: a line from each task's rate before to its rate after.

    Tasks that move alike share a line, and its width says how many; names stand at the end of the
    lines that move.

    Parameters
    ----------
    comparison
        A `Flips`, a `HeadToHead`, or its `.flips`; of several candidates the first is drawn.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers: lines, their ends, names.
    """
    flips = comparison.flips if isinstance(comparison, HeadToHead) else table_of(comparison)
    if flips.empty:
        return empty_chart("there is no common task to draw", theme=theme, title=TITLE)
    baseline, candidate = flips[["baseline", "candidate"]].iloc[0]
    flips = flips[(flips["baseline"] == baseline) & (flips["candidate"] == candidate)]
    groups = _alike(flips)
    counts = {way: int((flips["direction"] == way).sum()) for way in ORDER}
    return dressed(
        _layers(groups, (str(baseline), str(candidate)), palette_of(theme)),
        theme=theme,
        title=f"{TITLE} by {candidate}, compared with {baseline}",
        subtitle=[f"{counts['gained']} gained, {counts['lost']} lost, {counts['same']} the same"],
        description=_description(groups, counts, str(baseline), str(candidate)),
    )


def _alike(flips: pd.DataFrame) -> list[dict[str, Any]]:
    """Put tasks with the same two rates together."""
    keys = ["direction", "rate_baseline", "rate_candidate"]
    groups = []
    for values, part in flips.groupby(keys, sort=True):
        way, before, after = map(plain, values)
        names = [str(name) for name in part["task_id"]]
        groups.append(
            {
                "direction": way,
                "before": before,
                "after": after,
                "count": len(names),
                "tasks": listed(names, most=12),
                "names": names,
            }
        )
    return sorted(groups, key=lambda group: ORDER.index(group["direction"]))


def _layers(groups: list[dict[str, Any]], sides: tuple[str, str], colours: Palette) -> Any:
    heads = list(short_names(sides, LONGEST_HEAD).values())
    ends = [
        {
            "line": i,
            "side": side,
            "rate": group[when],
            **{key: group[key] for key in ("direction", "count", "tasks")},
            "side_name": name,
            "move": f"{percent(group['before'], digits=0)} to {percent(group['after'], digits=0)}",
        }
        for i, group in enumerate(groups)
        for side, when, name in zip(ENDS, ("before", "after"), sides, strict=True)
    ]
    colour = alt.Color(
        "direction:N",
        scale=alt.Scale(domain=list(ORDER), range=[colours.neutral, colours.better, colours.worse]),
        legend=alt.Legend(title=None, orient="bottom", symbolType="stroke", symbolStrokeWidth=3),
    )
    widest = max(group["count"] for group in groups)
    base = alt.Chart(data_of(ends)).encode(
        x=alt.X(
            "side:N",
            sort=list(ENDS),
            scale=alt.Scale(type="point", padding=0.1),
            title=None,
            axis=alt.Axis(
                labelAngle=0, labelPadding=16, orient="top", ticks=False, domain=False, labelFontWeight=600,
                labelExpr=f"datum.value == 'baseline' ? {json.dumps(heads[0])} : {json.dumps(heads[-1])}",
            ),
        ),
        y=alt.Y(
            "rate:Q",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=".0%", tickCount=5, title="pass rate of the task (%)"),
        ),
        color=colour,
        tooltip=[
            alt.Tooltip("side_name:N", title="arm"),
            alt.Tooltip("direction:N"),
            alt.Tooltip("move:N", title="pass rate"),
            alt.Tooltip("count:Q", title="tasks"),
            alt.Tooltip("tasks:N", title="which"),
        ],
    )  # fmt: skip
    line = base.mark_line(strokeCap="round", opacity=0.75).encode(
        detail="line:N",
        strokeWidth=alt.StrokeWidth(
            "count:Q", scale=alt.Scale(domain=[1, max(widest, 2)], range=[1.5, 12]), legend=None
        ),
    )
    dot = base.mark_point(filled=True, size=45, opacity=1)
    return alt.layer(line, dot, _names(groups, colours)).properties(width=WIDTH, height=HEIGHT)


def _names(groups: list[dict[str, Any]], colours: Palette) -> Any:
    """Write at each end point which tasks arrive there, the lost under the gained."""
    short = short_names((name for group in groups for name in group["names"]), LONGEST_LEGEND)
    labels = []
    for way, dy in (("gained", -7), ("lost", 7)):
        ends = sorted({group["after"] for group in groups if group["direction"] == way})
        for after in ends:
            names = [
                short[name]
                for group in groups
                if group["direction"] == way and group["after"] == after
                for name in group["names"]
            ]
            labels.append({"rate": after, "text": _fitting(names), "dy": dy, "direction": way})
    layers = [
        alt.Chart(data_of([one for one in labels if one["direction"] == way]))
        .mark_text(align="left", dy=dy, fontSize=11, color=tint)
        .encode(
            x=alt.value(WIDTH - 14),
            y=alt.Y("rate:Q", scale=alt.Scale(domain=[0, 1])),
            text="text:N",
        )
        for way, dy, tint in (("gained", -7, colours.better), ("lost", 7, colours.worse))
    ]
    return alt.layer(*layers)


def _fitting(names: list[str]) -> str:
    """Name as many as fit on a line, at most four."""
    most = 1
    while most < min(4, len(names)) and len(", ".join(names[: most + 1])) <= LONGEST_LIST:
        most += 1
    return listed(names, most=most)


def _description(
    groups: list[dict[str, Any]], counts: dict[str, int], baseline: str, candidate: str
) -> str:
    said = [
        f"{candidate} against {baseline}: {count_of(counts['gained'], 'task')} gained, {counts['lost']} lost, "
        f"{counts['same']} the same"
    ]
    for way in ("lost", "gained"):
        names = [name for group in groups if group["direction"] == way for name in group["names"]]
        if names:
            said.append(f"{way}: {listed(names, most=10)}")
    return f"{'. '.join(said)} ({count_of(sum(counts.values()), 'task')} in common)."
