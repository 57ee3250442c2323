"""What people saw in trials, by arm."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import LONGEST_LABEL, LONGEST_LEGEND, name_labels, short_names
from agenteval.charts.rows import data_of, labels_of, not_drawn, records, table_of
from agenteval.charts.series import legend_columns
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import TagCounts
from agenteval.comparison.wording import count_of, percent

TITLE = "Tags by arm"
SHOWN = ["text", "tagged", "tagged_failed", "tasks", "failed", "looked_at", "share_of_failed"]
MOST_TAGS, MOST_ARMS = 30, 8


def tags_chart(result: TagCounts | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw how many trials carry each tag: one bar an arm, the most frequent tag on top.

    Parameters
    ----------
    result
        A `TagCounts`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Bars over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("no trial carries a tag", theme=theme, title=TITLE)
    colours = palette_of(theme)
    names = [str(name) for name in table.columns]
    table = table.assign(arm_label=labels_of(table, names[1 : names.index("tagged")]))
    tags, arms = (table[name].drop_duplicates().tolist() for name in ("text", "arm_label"))
    arms = sorted(arms)
    drawn = table["text"].isin(tags[:MOST_TAGS]) & table["arm_label"].isin(arms[:MOST_ARMS])
    rows = records(table[drawn], ["arm_label", *SHOWN])
    short = short_names(arms[:MOST_ARMS], LONGEST_LEGEND)
    for row in rows:
        share = percent(row["share_of_failed"], digits=0)
        row["name"] = f"{row['tagged']:,}  {short[row['arm_label']]}"
        row["says"] = f"{count_of(row['tagged'], 'trial')}, {share} of those that failed"
    base = (
        alt.Chart(data_of(rows))
        .encode(
            y=alt.Y(
                "text:N",
                sort=tags[:MOST_TAGS],
                title=None,
                axis=alt.Axis(**name_labels(tags[:MOST_TAGS], LONGEST_LABEL)),
            ),
            yOffset=alt.YOffset("arm_label:N", sort=arms[:MOST_ARMS]),
            x=alt.X("tagged:Q", title="trials", axis=alt.Axis(tickMinStep=1, format="d")),
            color=alt.Color(
                "arm_label:N",
                scale=alt.Scale(
                    domain=arms[:MOST_ARMS], range=list(colours.series[: len(arms[:MOST_ARMS])])
                ),
                legend=alt.Legend(
                    title=None,
                    orient="bottom",
                    columns=legend_columns(list(short.values()), 560),
                    **name_labels(arms[:MOST_ARMS], LONGEST_LEGEND),
                ),
            ),
            tooltip=[
                alt.Tooltip("text:N", title="tag"),
                alt.Tooltip("arm_label:N", title="arm"),
                alt.Tooltip("says:N", title="seen in"),
                alt.Tooltip("looked_at:Q", title="trials looked at"),
            ],
        )
    )  # fmt: skip
    # the name at the end of the bar says which arm it is where colours do not
    names = base.mark_text(align="left", dx=5, fontSize=10).encode(
        text="name:N", color=alt.value(colours.ink)
    )
    bars = alt.layer(base.mark_bar(), names).properties(width=380, height=alt.Step(15))
    subtitle = ["an arm nobody looked at has none"]
    subtitle += not_drawn(tags[MOST_TAGS:], "tag") + not_drawn(arms[MOST_ARMS:], "arm")
    said = "; ".join(f"{row['text']}, {row['arm_label']}: {row['says']}" for row in rows[:20])
    return dressed(
        bars, theme=theme, title=TITLE, subtitle=subtitle, description=f"{TITLE}. {said}."
    )
