"""Which errors ended trials, by arm or by run."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.panels import MOST_ARMS, MOST_PANELS, bar_panels
from agenteval.charts.rows import bracket, labels_of, leading_columns, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import ErrorClasses
from agenteval.comparison.wording import count_of, percent

SHOWN = ["error_class", "counted", "trials", "tasks", "of", "share", "low", "high"]


def error_classes_chart(result: ErrorClasses | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the share of trials with each error: one panel a class, one bar an arm.

    Under the name of a class stands whether it counts as not solved or is left out of the rate.

    Parameters
    ----------
    result
        An `ErrorClasses`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels whose data sets together hold the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("no trial ended with an error", theme=theme, title="Errors")
    keys = leading_columns(table, "error_class")
    title = f"Errors by {' and '.join(key.removesuffix('_id') for key in keys)}"
    table = table.assign(arm_label=labels_of(table, keys))
    often = table.groupby("arm_label")["share"].sum().sort_values(ascending=False, kind="stable")
    arms, rest = often.index[:MOST_ARMS].tolist(), often.index[MOST_ARMS:].tolist()
    rows = records(table[table["arm_label"].isin(arms)], ["arm_label", *SHOWN])
    sides = table.groupby("error_class")["counted"].nunique()
    both = set(sides[sides > 1].index)
    for row in rows:
        counts = "counts as not solved" if row["counted"] else "left out of the rate"
        row |= {
            "panel": row["error_class"]
            + (" (left out)" if row["error_class"] in both and not row["counted"] else ""),
            "below": counts,
            "value": row["share"],
            "text": f"{row['trials']:,} of {row['of']:,}",
            "of_text": f"{row['trials']:,} of {count_of(row['of'], 'trial')}",
            "tip": f"{percent(row['share'])} {bracket(row['low'], row['high'])}",
            "n_text": f"{count_of(row['trials'], 'trial')} on {count_of(row['tasks'], 'task')}",
        }
    panels = {row["panel"]: row["below"] for row in rows}
    drawn = dict(list(panels.items())[:MOST_PANELS])
    subtitle = ["share of all trials, mean over tasks, with its interval; beside it the trials"]
    subtitle += not_drawn(rest, keys[-1].removesuffix("_id")) + not_drawn(
        list(panels)[MOST_PANELS:], "class", "classes"
    )
    said = [
        f"{row['arm_label']} {row['panel']} {row['of_text']} ({row['tip']})"
        for row in sorted(rows, key=_many)
        if row["trials"]
    ]
    more = f"; {len(said) - 12} more" if len(said) > 12 else ""
    return dressed(
        bar_panels(
            [row for row in rows if row["panel"] in drawn],
            panels=drawn,
            arms=arms,
            title="share of trials (%)",
            axis_format=".2~%",
            together=True,
            colours=palette_of(theme),
        ),
        theme=theme,
        title=title,
        subtitle=subtitle,
        description=f"{title}. {'; '.join(said[:12])}{more}.",
    )


def _many(row: dict[str, Any]) -> int:
    return -int(row["trials"])
