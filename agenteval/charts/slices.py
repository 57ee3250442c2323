"""Forest of differences by slice: does it hold in every category."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.forest import difference_forest, forest_rows
from agenteval.charts.names import LONGEST_LABEL, short_names
from agenteval.charts.rows import not_drawn, plain, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Slices
from agenteval.comparison.verdict import pair_size, points_interval
from agenteval.comparison.wording import known, p_value

TITLE = "Difference in pass rate by slice"
MOST_ROWS = 60
MORE = ["trials_baseline", "trials_candidate", "mde"]


def slices_chart(result: Slices | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the difference inside every slice, as `difference_chart` draws it overall.

    Slices of one candidate stand together in the table's order; the subtitle says whether the
    difference is shown to depend on the slice at all. At most 60 rows are drawn, the others named.

    Parameters
    ----------
    result
        A `Slices`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("there is no slice to draw", theme=theme, title=TITLE)
    one = table["candidate"].nunique() == 1
    both = zip(table["candidate"], table["slice"], strict=True)
    names = [str(slice_) if one else f"{candidate}: {slice_}" for candidate, slice_ in both]
    rows = forest_rows(table.head(MOST_ROWS), names[:MOST_ROWS], MORE, pair_size)
    columns = [] if one else _columns(rows, table.head(MOST_ROWS))
    level = f"{100 * plain(table['level'].iloc[0]):g} % interval"
    column = result.column if isinstance(result, Slices) else "slice"
    first = table.iloc[0]
    title = f"Difference in pass rate by {column}"
    if one:
        title += f": {first['candidate']} against {first['baseline']}"
    return dressed(
        difference_forest(rows, palette_of(theme), level, columns=columns),
        theme=theme,
        title=title,
        subtitle=[
            f"{level}, paired on tasks, p adjusted over slices",
            *_interaction(table),
            *not_drawn(names[MOST_ROWS:], "slice"),
        ],
        description=f"{title}. "
        + "; ".join(
            f"{name}: {points_interval(row)} points, {row['verdict']}"
            for name, row in zip(names[:12], table.head(12).to_dict("records"), strict=True)
        )
        + ".",
    )


def _columns(rows: list[dict[str, Any]], table: pd.DataFrame) -> list[str]:
    """Give every row its candidate, where another begins, and its slice."""
    arms = short_names(table["candidate"], LONGEST_LABEL)
    parts = short_names(table["slice"], LONGEST_LABEL)
    before = None
    for row, slice_ in zip(rows, table["slice"], strict=True):
        arm = str(row["candidate"])
        row["arm_text"] = "" if arm == before else arms[arm]
        row["slice_text"] = parts[str(slice_)]
        before = arm
    return ["arm_text", "slice_text"]


def _interaction(table: pd.DataFrame) -> list[str]:
    lines = []
    for candidate, p in (
        table.groupby("candidate", sort=False)["interaction_pvalue"].first().items()
    ):
        if known(p):
            shown = "is" if p < 0.05 else "is not"
            lines.append(
                f"{candidate}: it {shown} shown that the slices differ (interaction p {p_value(p)})"
            )
    return lines[:3]
