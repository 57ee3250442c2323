"""How agents and their models got on: waits, failures, denials, faults planted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from agenteval.comparison.wording import UNKNOWN, number, seconds
from agenteval.reports.section import Section

# column, head, how an arm's trials are put together, how it is shown
SHOWN: tuple[tuple[str, str, str, Callable[[float], str]], ...] = (
    ("model_used", "model that answered", "words", str),
    ("requests", "requests", "sum", number),
    ("turns", "turns", "sum", number),
    ("model_s", "with the model", "sum", seconds),
    ("tool_s", "with tools", "sum", seconds),
    ("rate_limited_s", "waited for limits", "sum", seconds),
    ("cache_read_tokens", "tokens from caches", "sum", number),
    ("first_cache_read_tokens", "of these on first requests", "sum", number),
    ("denials", "tool calls denied", "sum", number),
    ("asked_user", "trials that asked the user", "sum", number),
    ("harness_events", "events of the program", "sum", number),
)


def traffic(trials: pd.DataFrame) -> Section:
    """Tell how agents and models got on, arm by arm, as far as it is known.

    Parameters
    ----------
    trials
        Trial table.

    Returns
    -------
    Section
        Sums over all trials of an arm, those left out of the rate included; a cell is empty where a
        number is unknown of every trial, and a column where it is of every arm. Where it is unknown
        of some, the cell says of how many it is known.
    """
    arms = sorted(trials["arm"].astype("str").unique())
    rows, values = [], []
    for arm in arms:
        own = trials[trials["arm"].astype("str") == arm]
        told = {"arm": arm} | {
            name: _together(own[name], how) if name in own else None for name, _, how, _ in SHOWN
        }
        values.append(told)
        rows.append([arm, *(_shown(told[name], own.get(name), text) for name, _, _, text in SHOWN)])
    table = pd.DataFrame(values)
    if table.drop(columns="arm").isna().all(axis=None):
        return Section(
            table=table, empty="Nothing is known of what went between agents and models."
        )
    heads = ["arm", *(head for _, head, _, _ in SHOWN)]
    return Section(table=table, title="Between agents and models", heads=heads, rows=rows)


def _shown(value: Any, column: pd.Series | None, text: Callable[[Any], str]) -> str:
    """Text of a sum, with the number of trials that it is of where others are unknown."""
    if value is None or column is None:
        return UNKNOWN
    known = int(column.notna().sum())
    return text(value) if known == len(column) else f"{text(value)} ({known} of {len(column)})"


def _together(column: pd.Series, how: str) -> float | str | None:
    known = column.dropna()
    if not len(known):
        return None
    if how == "words":
        return ", ".join(sorted(set(known.astype("str"))))
    return float(known.astype("float").sum())
