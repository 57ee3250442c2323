"""Where the tokens go, by arm."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agenteval.charts.panels import MOST_ARMS, bar_panels
from agenteval.charts.rows import labels_of, leading_columns, not_drawn, records, table_of
from agenteval.charts.theme import Theme, dressed, empty_chart, palette_of
from agenteval.comparison import TokenBuckets
from agenteval.comparison.wording import known, number, percent, size_of

TITLE = "Tokens a trial"
SHOWN = ["bucket", "trials", "tasks", "unknown", "total", "mean", "low", "high", "share"]


def token_buckets_chart(result: TokenBuckets | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw the mean tokens a trial: one panel a kind of token, one bar an arm.

    Every panel has its own scale, since cache reads dwarf the rest; the text is the share of all
    tokens of the arm.

    Parameters
    ----------
    result
        A `TokenBuckets`, or its table.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Panels whose data sets together hold the table's own numbers.
    """
    table = table_of(result)
    if table.empty:
        return empty_chart("no counted trial knows its tokens", theme=theme, title=TITLE)
    table = table.assign(arm_label=labels_of(table, leading_columns(table, "bucket")))
    most = table.groupby("arm_label")["mean"].sum().sort_values(ascending=False, kind="stable")
    arms, rest = most.index[:MOST_ARMS].tolist(), most.index[MOST_ARMS:].tolist()
    rows = records(table[table["arm_label"].isin(arms)], ["arm_label", *SHOWN])
    for row in rows:
        limits = f" [{number(row['low'])}, {number(row['high'])}]" if known(row["low"]) else ""
        row |= {
            "panel": row["bucket"],
            "value": row["mean"],
            "text": percent(row["share"]),
            "tip": f"{number(row['mean'])}{limits}",
            "n_text": size_of(row["tasks"], row["trials"])
            + (f", {row['unknown']:,} unknown" if row["unknown"] else ""),
        }
    subtitle = ["mean over tasks, with its interval; beside it the share of the arm's tokens"]
    said = [f"{row['arm_label']} {row['panel']} {row['tip']} ({row['text']})" for row in rows]
    more = f"; {len(said) - 16} more" if len(said) > 16 else ""
    return dressed(
        bar_panels(
            rows,
            panels={row["panel"]: "" for row in rows},
            arms=arms,
            title="tokens a trial",
            axis_format="~s",
            together=False,
            colours=palette_of(theme),
        ),
        theme=theme,
        title=TITLE,
        subtitle=subtitle + not_drawn(rest, "arm"),
        description=f"{TITLE}, mean over tasks. {'; '.join(said[:16])}{more}.",
    )
