"""How a plan reads: what to run, what it costs, what the tasks there are would show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agenteval.comparison.wording import (
    UNKNOWN,
    count_of,
    dollars,
    known,
    percent,
    points,
    seconds,
)


def plan_texts(row: Mapping[str, Any]) -> list[str]:
    """Write the cells of one row of a plan."""
    bought = row["budget_tasks"]
    return [
        "run" if row["recommended"] else "",
        f"{row['repeats']}",
        f"{row['tasks']:,}",
        f"{row['trials']:,}",
        _with_limits(row["cost_usd"], row["cost_low_usd"], row["cost_high_usd"], dollars),
        _with_limits(row["time_s"], row["time_low_s"], row["time_high_s"], seconds),
        points(row["mde_here"], signed=False),
        f"{bought:,}" if known(bought) else UNKNOWN,
        points(row["budget_mde"], signed=False),
    ]


def _with_limits(value: Any, low: Any, high: Any, text: Any) -> str:
    if not known(value) or not known(low):
        return str(text(value))
    return f"{text(value)} [{text(low)}, {text(high)}]"


def plan_sentences(row: Mapping[str, Any], *, max_cost_usd: float | None) -> Iterator[str]:
    """Say what one row of a plan means."""
    wanted = f"{points(row['effect'], signed=False)} points"
    parts = [
        f"{count_of(row['tasks'], 'task')} x {count_of(row['repeats'], 'repeat')} of both arms",
        count_of(row["trials"], "trial"),
    ]
    if known(row["cost_usd"]):
        parts.append(f"about {dollars(row['cost_usd'])}{_range(row, 'cost', '_usd', dollars)}")
    if known(row["time_s"]):
        spent = f"{seconds(row['time_s'])} of trials{_range(row, 'time', '_s', seconds)}"
        parts.append(spent)
    chance = percent(round(row["power"], 2), digits=0)
    yield f"To show {wanted} with probability {chance}: {', '.join(parts)}."
    here = row["tasks_here"]
    if known(here) and here < row["tasks"]:
        yield (
            f"There are {count_of(here, 'task')}: at these repeats they show "
            f"{points(row['mde_here'], signed=False)} points, and {wanted} with probability "
            f"{percent(row['power_here'], digits=0)}."
        )
    if known(row["within_budget"]) and not row["within_budget"]:
        bought, found = row["budget_tasks"], f"{points(row['budget_mde'], signed=False)} points"
        shows = f": they show {found}" if bought else ""
        yield (
            f"That is above the budget of {dollars(max_cost_usd)}, which buys "
            f"{count_of(bought, 'task')} x {row['repeats']}{shows}."
        )


def _range(row: Mapping[str, Any], name: str, unit: str, text: Any) -> str:
    low, high = row[f"{name}_low{unit}"], row[f"{name}_high{unit}"]
    return f" ({text(low)} to {text(high)})" if known(low) else ""
