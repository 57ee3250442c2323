"""Forest of differences by slice: does it hold in every category."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.forest import difference_forest, forest_rows
from agenteval.charts.rows import plain, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import Slices
from agenteval.comparison.verdict import pair_size, points_interval
from agenteval.comparison.wording import known, listed, p_value

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
    level = f"{100 * plain(table['level'].iloc[0]):g} % interval"
    column = result.column if isinstance(result, Slices) else "slice"
    first = table.iloc[0]
    title = f"Difference in pass rate by {column}"
    if one:
        title += f": {first['candidate']} against {first['baseline']}"
    return dressed(
        difference_forest(rows, palette_of(theme), level),
        theme=theme,
        title=title,
        subtitle=[
            f"{level}, paired on tasks, p adjusted over slices",
            *_interaction(table),
            *_rest(names),
        ],
        description=f"{title}. "
        + "; ".join(
            f"{name}: {points_interval(row)} points, {row['verdict']}"
            for name, row in zip(names[:12], table.head(12).to_dict("records"), strict=True)
        )
        + ".",
    )


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


def _rest(names: list[str]) -> list[str]:
    rest = names[MOST_ROWS:]
    return [f"{len(rest)} more are not drawn: {listed(rest)}"] if rest else []
