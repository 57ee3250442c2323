"""Forest of policies: does the conclusion hold however it is counted."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.forest import difference_forest, forest_rows
from agenteval.charts.rows import plain, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Sensitivity
from agenteval.comparison.verdict import points_interval
from agenteval.comparison.wording import count_of

TITLE = "Sensitivity of the conclusion"


def sensitivity_chart(result: Sensitivity | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the difference under every policy, the default on top; of several candidates the first.

    Parameters
    ----------
    result
        A `Sensitivity`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no policy to draw", theme=theme, title=TITLE)
    first = table.iloc[0]
    table = table[
        (table["baseline"] == first["baseline"]) & (table["candidate"] == first["candidate"])
    ]
    rows = forest_rows(
        table,
        table["policy"].tolist(),
        ["question", "changes"],
        lambda row: count_of(row["tasks"], "task"),
    )
    for row in rows:
        row["says"] += ", changes" if row["changes"] else ""
    level = f"{100 * plain(first['level']):g} % interval"
    moved = table[table["changes"]]
    holds = f'"{first["verdict"]}" holds under {len(table) - len(moved)} of {len(table)} policies'
    title = f"{TITLE}: {first['candidate']} against {first['baseline']}"
    said = "; ".join(
        f"{row['policy']} {points_interval(row)} points, {row['verdict']}"
        for row in table.to_dict("records")
    )
    return dressed(
        difference_forest(rows, palette_of(theme), level),
        theme=theme,
        title=title,
        subtitle=[f"{level}; {holds}"],
        description=f"{title}. {holds}. {said}.",
    )
