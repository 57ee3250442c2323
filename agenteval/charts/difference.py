"""Forest of paired differences: candidate minus baseline, with zero and the margin."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.forest import difference_forest, forest_rows
from agenteval.charts.rows import not_drawn, plain, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import HeadToHead
from agenteval.comparison.verdict import pair_size, sentence
from agenteval.comparison.wording import points

TITLE = "Difference in pass rate"
MOST_PAIRS = 60
MORE = ["trials_baseline", "trials_candidate", "mde"]


def difference_chart(comparison: HeadToHead | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw a head-to-head table: paired differences with intervals, the largest on top.

    Right of zero the candidate passes more. The shaded band is the margin: an interval that reaches
    beyond it on both sides cannot tell. Short ticks mark the difference that this size detects four
    times out of five. At most 60 rows are drawn, the others named.

    Parameters
    ----------
    comparison
        A `HeadToHead`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = table_of(comparison)
    if table.empty:
        return empty_chart("there is no comparison to draw", theme=theme, title=TITLE)
    one = table["baseline"].nunique() == 1
    table = table.sort_values("difference", ascending=False, kind="stable")
    shown = table.head(MOST_PAIRS)
    names = zip(shown["baseline"], shown["candidate"], strict=True)
    labels = [str(b) if one else f"{b} against {a}" for a, b in names]
    rows = forest_rows(shown, labels, MORE, pair_size)
    level = f"{100 * plain(table['level'].iloc[0]):g} % interval"
    said = [sentence(row, comparisons=len(table)) for row in table.head(10).to_dict("records")]
    return dressed(
        difference_forest(rows, palette_of(theme), level),
        theme=theme,
        title=f"{TITLE} from {table['baseline'].iloc[0]}" if one else TITLE,
        subtitle=_subtitle(table, level),
        description=" ".join(said),
    )


def _subtitle(table: pd.DataFrame, level: str) -> list[str]:
    margin = points(table["margin"].iloc[0], signed=False)
    lines = [f"{level}, paired on tasks; shaded: within the margin of {margin} points"]
    if table["mde"].notna().any():
        lines.append("short ticks: the difference that this size detects four times out of five")
    rest = table["candidate"].iloc[MOST_PAIRS:].tolist()
    return lines + not_drawn(rest, "comparison")
