"""From a result table to the rows a chart embeds: labels, JSON values, the first N."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from agenteval.comparison.wording import label_of, listed


def table_of(result: Any) -> pd.DataFrame:
    """Return the table of a result, or the table itself."""
    return result if isinstance(result, pd.DataFrame) else result.table


def leading_columns(table: pd.DataFrame, first_measure: str) -> list[str]:
    """Return the columns before `first_measure`: those that name the rows."""
    names = [str(name) for name in table.columns]
    return names[: names.index(first_measure)]


def plain(value: Any) -> Any:
    """Return a value as JSON has it; unknown becomes None."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) else str(value)


def records(table: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return some columns as rows of JSON values, so that no dtype surprises the chart."""
    return [
        {name: plain(value) for name, value in zip(columns, row, strict=True)}
        for row in table[list(columns)].itertuples(index=False, name=None)
    ]


def data_of(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as altair takes them fastest: it validates a list row by row, a frame never."""
    return pd.DataFrame(list(rows))


def bracket(low: Any, high: Any) -> str:
    """Write limits given as shares in percent or points; nothing when unknown."""
    a, b = plain(low), plain(high)
    return "" if a is None or b is None else f"[{100 * a:.1f}, {100 * b:.1f}]"


def labels_of(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return one label a row from the columns that name it."""
    return [label_of(row) for row in table[list(keys)].to_numpy(dtype=object)]


def not_drawn(rest: Sequence[str], thing: str, things: str | None = None) -> list[str]:
    """Name what a chart leaves out for want of room, as a line of its subtitle; none if nothing."""
    if not rest:
        return []
    noun = thing if len(rest) == 1 else things or f"{thing}s"
    return [f"{len(rest):,} more {noun} not drawn: {listed(rest)}"]
