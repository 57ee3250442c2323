"""Heat map of task x arm: which arm solves which task."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LEGEND, name_labels, short_names
from agenteval.charts.rows import data_of, labels_of, records, table_of
from agenteval.charts.theme import MOST_ROWS, Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Flips, HeadToHead, TaskMatrix
from agenteval.comparison.wording import count_of, listed, percent

TITLE = "Pass rate by task and arm"
MOST_TASKS = 60
MOST_ARMS = 60
HATCH = "M-2,.6L-1.2,-.6M-1,.6L-.2,-.6M0,.6L.8,-.6M1,.6L1.8,-.6"
NOT_ARMS = ("suite", "task_id", "trials", "passes", "rate", "left_out", "statuses", "category", "difficulty")  # fmt: skip


def task_matrix_chart(
    matrix: TaskMatrix | pd.DataFrame,
    *,
    flips: Flips | HeadToHead | pd.DataFrame | None = None,
    theme: Theme = "light",
) -> Any:
    """Draw a task matrix: one row a task, one column an arm, easy tasks and good arms first.

    A dark cell passed always, a pale one never; a hatched cell has no counted trial, a dot in the
    corner marks a cell that lost some. With more than 60 tasks those on which the arms differ most
    are drawn and the others counted by what they have in common.

    Parameters
    ----------
    matrix
        A `TaskMatrix`, or its table.
    flips
        Flips of the same trials: a triangle up marks a task that the arm gained over the baseline,
        one down a task that it lost.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers, at most 5,000 rows.
    """
    table = table_of(matrix)
    if table.empty:
        return empty_chart("there is no cell to draw", theme=theme, title=TITLE)
    arms = list(matrix.by) if isinstance(matrix, TaskMatrix) else _arm_columns(table)
    several = table["suite"].nunique() > 1
    table = table.assign(
        arm_label=labels_of(table, arms),
        task_label=labels_of(table, ["suite", "task_id"] if several else ["task_id"]),
    )
    arm_order = _by_rate(table, "arm_label")[:MOST_ARMS]
    shown = table[table["arm_label"].isin(arm_order)]
    tasks = _chosen(shown, min(MOST_TASKS, MOST_ROWS // len(arm_order)))
    task_order = [name for name in _by_rate(table, "task_label") if name in tasks]
    shown = shown[shown["task_label"].isin(tasks)]
    rows = records(
        shown,
        [
            "task_label",
            "arm_label",
            "suite",
            "task_id",
            "trials",
            "passes",
            "rate",
            "left_out",
            "statuses",
        ],
    )
    flipped, baseline = _flipped(flips)
    for row in rows:
        row["rate_text"] = "" if row["rate"] is None else f"{100 * row['rate']:.0f}"
        row["cell"] = "left out" if row["rate"] is None else percent(row["rate"])
        row["empty"] = row["rate"] is None
        row["flip"] = flipped.get((row["suite"], row["task_id"], row["arm_label"]))
        row["partly"] = row["rate"] is not None and row["left_out"] > 0
    return dressed(
        _layers(rows, task_order, arm_order, theme),
        theme=theme,
        title=TITLE,
        subtitle=_subtitle(table, rows, tasks, arm_order, baseline),
        description=_description(table, task_order, arm_order),
    )


def _arm_columns(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table.columns if name not in NOT_ARMS]


def _by_rate(table: pd.DataFrame, name: str) -> list[str]:
    """Order the labels by the mean of their cells, best first."""
    means = table.groupby(name)["rate"].mean()
    return means.sort_values(ascending=False, kind="stable", na_position="last").index.tolist()


def _chosen(table: pd.DataFrame, most: int) -> set[str]:
    """Choose the tasks on which the arms differ most."""
    cells = table.groupby("task_label")["rate"]
    spread = (cells.max() - cells.min()).fillna(-1).sort_values(ascending=False, kind="stable")
    return set(spread.index[:most])


def _flipped(
    flips: Flips | HeadToHead | pd.DataFrame | None,
) -> tuple[dict[tuple[Any, ...], str], str]:
    """Return the direction of each (suite, task, candidate) that flipped, and the baseline."""
    if flips is None:
        return {}, ""
    table = flips.flips if isinstance(flips, HeadToHead) else table_of(flips)
    moved = table[table["direction"] != "same"]
    keys = records(moved, ["suite", "task_id", "candidate", "direction"])
    found = {(row["suite"], row["task_id"], row["candidate"]): row["direction"] for row in keys}
    return found, ", ".join(sorted(set(table["baseline"].astype(str))))


def _subtitle(
    table: pd.DataFrame,
    rows: list[dict[str, Any]],
    tasks: set[str],
    arms: list[str],
    baseline: str,
) -> list[str]:
    lines = ["percent of counted trials passed; easiest task and best arm first"]
    marks = []
    if any(row["empty"] for row in rows):
        marks.append("hatched: every trial left out")
    if any(row["partly"] for row in rows):
        marks.append("dot: some trials left out")
    if any(row["flip"] for row in rows):
        marks.append(f"triangle up: gained over {baseline}, down: lost")
    lines += ["; ".join(marks)] if marks else []
    rest = table[~table["task_label"].isin(tasks)].groupby("task_label")["rate"].agg(["min", "max"])
    if len(rest):
        solved, unsolved = int((rest["min"] == 1).sum()), int((rest["max"] == 0).sum())
        lines.append(
            f"{count_of(len(rest), 'more task')} not drawn, on which the arms differ least "
            f"({solved} solved by every arm, {unsolved} by none)"
        )
    hidden = sorted(set(table["arm_label"]) - set(arms))
    return lines + (
        [f"{count_of(len(hidden), 'more arm')} not drawn: {listed(hidden)}"] if hidden else []
    )


def _layers(rows: list[dict[str, Any]], tasks: list[str], arms: list[str], theme: str) -> Any:
    colours = palette_of(theme)
    roomy = len(arms) <= 24
    width, height = 58 if len(arms) <= 12 else 34 if roomy else 20, 24 if len(tasks) <= 24 else 18
    long = max(map(len, short_names(arms, LONGEST_LEGEND).values())) * 6.5 > width
    base = alt.Chart(data_of(rows)).encode(
        x=alt.X(
            "arm_label:N",
            sort=arms,
            title=None,
            axis=alt.Axis(
                orient="top", labelAngle=0 if not long else -40 if width >= 34 else -90, ticks=False, domain=False,
                labelAlign="left" if long else "center", **name_labels(arms, LONGEST_LEGEND),
            ),
        ),
        y=alt.Y(
            "task_label:N", sort=tasks, title=None,
            axis=alt.Axis(ticks=False, domain=False, **name_labels(tasks)),
        ),
        tooltip=[
            alt.Tooltip("task_label:N", title="task"),
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("cell:N", title="pass rate"),
            alt.Tooltip("passes:Q", title="passes"),
            alt.Tooltip("trials:Q", title="counted trials"),
            alt.Tooltip("left_out:Q", title="left out"),
            alt.Tooltip("statuses:N", title="what happened"),
            alt.Tooltip("flip:N", title="against the baseline"),
        ],
    )  # fmt: skip
    cells = (
        base.transform_filter("!datum.empty")
        .mark_rect(stroke=colours.background, strokeWidth=1.5)
        .encode(color=_colour(colours))
    )
    layers = [cells, *_marks(base, colours, width, height)]
    if roomy:
        layers.append(_numbers(base, colours))
    return alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height))


def _colour(colours: Palette) -> alt.Color:
    # symbols, since the ids of gradients clash where a page holds several charts
    return alt.Color(
        "rate:Q",
        scale=alt.Scale(domain=[0, 1], range=list(colours.shares), interpolate="lab"),
        legend=alt.Legend(
            title="pass rate (%)",
            format=".0%",
            values=[1, 0.75, 0.5, 0.25, 0],
            type="symbol",
            symbolType="square",
            symbolSize=180,
            symbolStrokeWidth=0,
            symbolOpacity=1,
        ),
    )


def _marks(base: Any, colours: Palette, width: int, height: int) -> list[Any]:
    hatch = base.transform_filter("datum.empty").mark_point(
        shape=HATCH, size=float(min(width / 4.4, height / 1.6) ** 2) * 4, stroke=colours.neutral, strokeWidth=1,
        fill=None, opacity=0.9,
    )  # fmt: skip
    box = base.transform_filter("datum.empty").mark_rect(
        fill=colours.neutral, fillOpacity=0.12, stroke=colours.background, strokeWidth=1.5
    )
    corner = base.transform_filter("datum.partly").mark_point(
        filled=True, size=16, color=colours.worse, opacity=1,
        xOffset=width / 2 - 6, yOffset=-(height / 2 - 6),
    )  # fmt: skip
    ways = (("gained", "triangle-up", colours.better), ("lost", "triangle-down", colours.worse))
    triangles = [
        base.transform_filter(f"datum.flip == '{way}'").mark_point(
            shape=shape, filled=True, size=52, color=tint, opacity=1, stroke=colours.background,
            strokeWidth=1, xOffset=-(width / 2 - 7), yOffset=-(height / 2 - 7),
        )
        for way, shape, tint in ways
    ]  # fmt: skip
    return [box, hatch, corner, *triangles]


def _numbers(base: Any, colours: Palette) -> Any:
    return base.mark_text(fontSize=11).encode(
        text="rate_text:N",
        color=alt.condition(
            "datum.rate > 0.55", alt.value(colours.background), alt.value(colours.ink)
        ),
    )


def _description(table: pd.DataFrame, tasks: list[str], arms: list[str]) -> str:
    rates = table.groupby("task_label")["rate"]
    low, high = rates.min(), rates.max()
    every, none = int((low == 1).sum()), int((high == 0).sum())
    means = table.groupby("arm_label")["rate"].mean()
    said = "; ".join(f"{arm} {percent(means[arm], digits=0)}" for arm in arms[:8])
    return (
        f"Pass rates of {count_of(len(low), 'task')} by {count_of(table['arm_label'].nunique(), 'arm')}: "
        f"{every} solved by every arm in every trial, {none} by none. Mean over tasks: {said}. "
        f"Easiest task {tasks[0]}, hardest {tasks[-1]}."
    )
