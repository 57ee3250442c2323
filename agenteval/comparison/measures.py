"""Cost, time, turns and tokens by group; what is unknown stays unknown."""

from __future__ import annotations

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import Codes, Floats, TrialTable
from agenteval.comparison.wording import tallies

MEDIANS = {
    "cost_median_usd": "cost_usd",
    "duration_median_s": "duration_s",
    "agent_median_s": "agent_s",
    "turns_median": "turns",
    "tool_calls_median": "tool_calls",
}
TOKEN_BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
TOTALS = ("tool_errors", *TOKEN_BUCKETS)
NEVER_STARTED = ("requires_missing", "task_skipped", "budget_used_up")
LEFT_OUT = ("quarantined", "voided")


def measures(table: TrialTable) -> dict[str, object]:
    """Return the columns of cost, time, turns and tokens, one entry a group.

    Medians and totals are over the trials that count in the rate; `all_attempts_cost_usd` is over
    every trial that started. A total in which one part is unknown is unknown.
    """
    size, counted = len(table.groups), table.counted
    used = table.keep(counted)
    cost = used.numbers("cost_usd")
    total = group_total(used.group, cost, size)
    passes = np.bincount(used.group[used.passed == 1], minlength=size)
    medians = group_medians(
        used.group, {name: used.numbers(column) for name, column in MEDIANS.items()}, size
    )
    found: dict[str, object] = {
        "cost_total_usd": total,
        "cost_per_success_usd": np.divide(
            total, passes, out=np.full(size, np.nan), where=passes > 0
        ),
        "cost_source": _sources(used, cost, size),
        "cost_known": np.bincount(used.group[~np.isnan(cost)], minlength=size),
        "all_attempts_cost_usd": _spent(table, size),
        **medians,
    }
    for name in TOTALS:
        found[name] = group_total(used.group, used.numbers(name), size)
    return found


def group_total(group: Codes, values: Floats, size: int) -> Floats:
    """Sum by group; unknown where any value is unknown or there is none."""
    total = np.bincount(group, weights=values, minlength=size)
    return np.where(np.bincount(group, minlength=size) > 0, total, np.nan)


def group_medians(group: Codes, columns: dict[str, Floats], size: int) -> dict[str, Floats]:
    """Take the median of the known values of each column by group; NaN where there is none."""
    some = {name: values for name, values in columns.items() if not np.isnan(values).all()}
    medians = pd.DataFrame(some).groupby(group).median().reindex(range(size)) if some else {}
    blank = np.full(size, np.nan)
    return {
        name: medians[name].to_numpy(dtype=np.float64) if name in some else blank
        for name in columns
    }


def _sources(used: TrialTable, cost: Floats, size: int) -> list[str | None]:
    words = used.words("cost_source")
    has = ~np.isnan(cost) & words.notna().to_numpy()
    texts = tallies(used.group[has], words[has], size)
    return [_single(text) for text in texts]


def _single(text: str) -> str | None:
    if not text:
        return None
    return text if "," in text else text.rpartition(" ")[0]


def _spent(table: TrialTable, size: int) -> Floats:
    """Sum the cost of all attempts of all trials that started, left out of the rate or not."""
    cost, reason = table.numbers("all_attempts_cost_usd"), table.words("error_class")
    # people leave out trials that ran, whose cost stays, and some that never did
    unspent = table.words("ended_by").isna().to_numpy() & np.isnan(cost)
    idle = reason.isin(NEVER_STARTED).to_numpy() | (reason.isin(LEFT_OUT).to_numpy() & unspent)
    started = ~(idle & (table.words("status") == "skipped").to_numpy())
    return group_total(table.group[started], cost[started], size)
