"""The tasks whose repeats disagree: every outcome, in order."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LABEL, label_columns, short_names
from agenteval.charts.rows import data_of, labels_of, leading_columns, records
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import RepeatAgreement
from agenteval.comparison.wording import count_of, percent_interval

TITLE = "Flaky tasks"
MOST_LINES, MOST_REPEATS = 50, 60
WORDS = {"P": "passed", "F": "not passed", "-": "left out"}
SHOWN = ["trials", "passes", "rate", "low", "high", "outcomes"]


def flakiness_chart(result: RepeatAgreement | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw one strip a flaky task and arm: a mark a repeat, the task nearest to a coin flip on top.

    Passes and failures that alternate are chance; a change of colour half way along is something
    that changed during the run. At most 50 strips of 60 repeats are drawn.

    Parameters
    ----------
    result
        A `RepeatAgreement`, or its `.flaky`.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Marks and texts over the table's own outcomes.
    """
    table = result.flaky if isinstance(result, RepeatAgreement) else result
    if table.empty:
        return empty_chart("no task both passed and failed", theme=theme, title=TITLE)
    keys = [name for name in leading_columns(table, "trials") if name != "suite"]
    if table["suite"].nunique() > 1:
        keys = leading_columns(table, "trials")
    arms = [name for name in keys if name not in ("suite", "task_id")]
    table = table.assign(
        task_label=labels_of(table, [name for name in keys if name not in arms]),
        arm_label=labels_of(table, arms),
    )
    shown = table.head(MOST_LINES)
    lines = records(shown, ["task_label", "arm_label", *SHOWN])
    several = table["arm_label"].nunique() > 1
    tasks, named = (short_names(shown[name], LONGEST_LABEL) for name in ("task_label", "arm_label"))
    for line in lines:
        line["task_text"], line["arm_text"] = tasks[line["task_label"]], named[line["arm_label"]]
        line["strip"] = ", ".join((line["task_label"], line["arm_label"])[: 2 if several else 1])
        line["text"] = (
            f"{line['passes']} of {line['trials']}: "
            f"{percent_interval(line['rate'], line['low'], line['high'])}"
        )
    subtitle = [
        f"{_pairs(table)}; one mark a repeat, in their order; intervals of the single task (95 %)"
    ]
    hidden = len(table) - len(lines)
    subtitle += [f"{hidden:,} more, nearer to always or never, not drawn"] if hidden else []
    longest = max(len(line["outcomes"]) for line in lines)
    if longest > MOST_REPEATS:
        subtitle.append(f"the first {MOST_REPEATS} of up to {longest:,} repeats")
    said = "; ".join(f"{line['strip']} {line['text']}" for line in lines[:12])
    more = f"; {len(table) - 12} more" if len(table) > 12 else ""
    return dressed(
        _layers(lines, min(longest, MOST_REPEATS), palette_of(theme)),
        theme=theme,
        title=TITLE,
        subtitle=subtitle,
        description=f"{TITLE}: {_pairs(table)}. {said}{more}.",
    )


def _pairs(table: pd.DataFrame) -> str:
    arms = table["arm_label"].unique()
    if len(arms) == 1:
        return f"{count_of(len(table), 'flaky task')} of {arms[0]}"
    return f"{count_of(len(table), 'flaky pair')} of task and arm"


def _layers(lines: list[dict[str, Any]], longest: int, colours: Palette) -> Any:
    marks = [
        {**line, "repeat": i, "outcome": WORDS[letter]}
        for line in lines
        for i, letter in enumerate(line["outcomes"][:MOST_REPEATS], start=1)
    ]
    step = 18 if longest <= 20 else 11
    width = max(step * longest, 90)
    order = list(WORDS.values())
    y = alt.Y(
        "strip:N",
        sort=[line["strip"] for line in lines],
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labels=False),
    )
    tips = [
        alt.Tooltip("task_label:N", title="task"),
        alt.Tooltip("arm_label:N", title="arm"),
        alt.Tooltip("text:N", title="passed"),
    ]
    legend = alt.Legend(title=None, orient="bottom", columns=3)
    points = (
        alt.Chart(data_of(marks))
        .mark_point(size=step * 4.2, strokeWidth=2, opacity=1)
        .encode(
            x=alt.X(
                "repeat:O",
                title="repeat",
                axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False),
                scale=alt.Scale(domain=list(range(1, longest + 1))),
            ),
            y=y,
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(
                    domain=order, range=[colours.better, colours.worse, colours.neutral]
                ),
                legend=legend,
            ),
            shape=alt.Shape(
                "outcome:N",
                scale=alt.Scale(domain=order, range=["square", CROSS, "stroke"]),
                legend=legend,
            ),
            tooltip=[*tips, alt.Tooltip("repeat:O"), alt.Tooltip("outcome:N")],
        )
    )
    texts = (
        alt.Chart(data_of(lines))
        .mark_text(align="left", fontSize=11, color=colours.muted)
        .encode(y=y, x=alt.value(width + 12), text="text:N", tooltip=tips)
    )
    columns = ["task_text", "arm_text"]
    if len({line["arm_label"] for line in lines}) == 1:
        columns = ["task_text"]
    heads = label_columns(
        alt.Chart(data_of(lines)).encode(y=y, tooltip=tips), lines, columns, colours.ink
    )
    return alt.layer(points, texts, *heads).properties(width=width, height=alt.Step(step))


CROSS = "M-1,-1L1,1M-1,1L1,-1"
