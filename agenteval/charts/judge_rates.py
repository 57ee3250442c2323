"""A judge against people, arm by arm: the pass rate each of them gives, and the corrected one."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from agenteval.charts.names import name_labels
from agenteval.charts.rows import bracket, data_of, labels_of, not_drawn, plain
from agenteval.charts.series import series_of
from agenteval.charts.theme import Palette, Theme, dressed, empty_chart, palette_of
from agenteval.comparison import JudgeTrust
from agenteval.comparison.wording import count_of, percent

TITLE = "Pass rates by the judge and by people"
MOST_LINES = 20
WIDTH = 380
SOURCES = {
    "judge_rate": "the judge",
    "people_rate": "people, where they labelled",
    "rogan_gladen": "judge corrected for its error rates",
    "ppi": "judge and people together",
}


def judge_rates_chart(result: JudgeTrust | pd.DataFrame, *, theme: Theme = "light") -> Any:
    """Draw for each arm the pass rate by the judge, by people, and the judge's, corrected.

    A judge that is above people in one arm and not in another favours that arm. What too few labels
    leave unknown is not drawn. At most 20 arms are drawn, the others named.

    Parameters
    ----------
    result
        A `JudgeTrust`, or its `.arms`.
    theme
        `light` or `dark`.

    Returns
    -------
    altair.Chart
        Layers over one data set that holds the table's own numbers.
    """
    table = result.arms if isinstance(result, JudgeTrust) else result
    if table.empty or not table["judged"].any():
        return empty_chart("nothing was judged", theme=theme, title=TITLE)
    keys = [name for name in ("judge", "rubric") if table[name].nunique() > 1]
    table = table.assign(arm_label=labels_of(table, ["arm", *keys]))
    shown, rest = table.head(MOST_LINES), table["arm_label"].iloc[MOST_LINES:].tolist()
    rows = [
        {
            "arm_label": line["arm_label"],
            "source": words,
            "rate": plain(line[name]),
            "low": plain(line[f"{name}_low"]),
            "high": plain(line[f"{name}_high"]),
            "text": f"{percent(line[name])} {bracket(line[f'{name}_low'], line[f'{name}_high'])}",
            "n_text": f"{count_of(int(line['judged']), 'trial')} judged, {int(line['labelled']):,} labelled",
        }
        for line in shown.to_dict("records")
        for name, words in SOURCES.items()
        if plain(line[name]) is not None
    ]
    level = f"{100 * result.level:g} % " if isinstance(result, JudgeTrust) else ""
    said = [f"{row['arm_label']}, {row['source']}: {row['text']}" for row in rows]
    more = f"; {len(said) - 16} more" if len(said) > 16 else ""
    return dressed(
        _layers(rows, shown["arm_label"].tolist(), palette_of(theme)),
        theme=theme,
        title=TITLE,
        subtitle=[f"{level}intervals over tasks", *not_drawn(rest, "arm")],
        description=f"{TITLE}. {'; '.join(said[:16])}{more}.",
    )


def _layers(rows: list[dict[str, Any]], arms: list[str], colours: Palette) -> Any:
    sources = [words for words in SOURCES.values() if any(row["source"] == words for row in rows)]
    series = series_of(sources, colours, field="source", width=WIDTH + 120)
    base = alt.Chart(data_of(rows)).encode(
        y=alt.Y(
            "arm_label:N",
            sort=arms,
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelPadding=10, **name_labels(arms)),
        ),
        yOffset=alt.YOffset("source:N", sort=sources, scale=alt.Scale(paddingOuter=0.6)),
        color=series.color,
        tooltip=[
            alt.Tooltip("arm_label:N", title="arm"),
            alt.Tooltip("source:N", title="by"),
            alt.Tooltip("text:N", title="pass rate"),
            alt.Tooltip("n_text:N", title="n"),
        ],
    )
    x: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1]),
        "axis": alt.Axis(format=".0%", tickCount=5, title="pass rate (%), mean over tasks"),
    }
    rule = base.mark_rule(strokeWidth=2.5, opacity=0.5).encode(x=alt.X("low:Q", **x), x2="high:Q")
    dot = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("rate:Q", **x), shape=series.shape
    )
    return alt.layer(rule, dot).properties(
        width=WIDTH, height=alt.Step(13 if len(arms) <= 8 else 8)
    )
