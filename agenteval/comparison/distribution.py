"""How cost, time and tokens spread over trials: what share used no more than a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.measures import TOKEN_BUCKETS
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, Floats, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import known, listed, number
from agenteval.errors import InvalidInput
from agenteval.stats import wilson_cluster_interval

QUANTITIES = ("cost_usd", "agent_s", "tokens")
POINTS = 40
DTYPES: dict[str, str] = {
    "quantity": "str", "value": "float64", "share": "float64", "low": "float64", "high": "float64",
    "trials": "int64", "tasks": "int64",
}  # fmt: skip
SUMMARY_DTYPES: dict[str, str] = {
    "quantity": "str", "trials": "int64", "tasks": "int64", "unknown": "int64",
    "smallest": "float64", "median": "float64", "p90": "float64", "largest": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Distribution(Result):
    """The table of `distribution`.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    summary
        One row a group and quantity: `trials`, `tasks`, `unknown` trials, `smallest`, `median`,
        `p90`, `largest`.
    """

    by: tuple[str, ...]
    level: float
    summary: pd.DataFrame

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        numbers = ("smallest", "median", "p90", "largest")
        rows = [
            [
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                row["quantity"],
                str(row["trials"]),
                str(row["unknown"]),
                *(number(row[name]) for name in numbers),
            ]
            for row in self.summary.to_dict("records")
        ]
        heads = [*self.by, "quantity", "trials", "unknown", "smallest", "median", "90 %", "largest"]
        return Sheet("What trials used", heads, rows, len(self.by) + 1).without("0")


def distribution(
    trials: TrialsLike,
    *,
    by: By = "arm",
    quantities: Sequence[str] = QUANTITIES,
    level: float = 0.95,
) -> Distribution:
    """Spread of cost, time and tokens: the share of counted trials that used no more than a value.

    Means hide the few trials that cost most; this shows them. Curves that cross say that neither arm
    is cheaper throughout. The independent unit is the task: every interval is that of a rate over
    tasks, and holds point by point, not for a whole curve.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.
    quantities
        Numeric columns, or `tokens`, the sum of the four counts. Those that no trial knows are left
        out.
    level
        Level of the intervals, in (0, 1).

    Returns
    -------
    Distribution
        `.table` has one row a group, quantity and value, at most 40 values a group (quantiles):
        `share` of trials (mean over tasks) that used at most `value`, with `low`, `high`; `trials`
        and `tasks` with a known value. `.summary` has medians and extremes. Both are empty when
        nothing is known.

    Raises
    ------
    InvalidInput
        For a table that cannot be read, or without any of the columns.
    NotEnoughData
        When there are no trials.

    Examples
    --------
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xyz"), "agent_s": [30.0, 10.0, 20.0]})
    >>> trials = trials.assign(passed=True, status="pass")
    >>> distribution(trials).table[["quantity", "value", "share"]].round(3)
      quantity  value  share
    0  agent_s   10.0  0.333
    1  agent_s   20.0  0.667
    2  agent_s   30.0  1.000
    """
    table = read_trials(trials, by=by)
    table = table.keep(table.counted)
    _require(table, quantities)
    curves: list[tuple[int, dict[str, object]]] = []
    summary: list[tuple[int, dict[str, object]]] = []
    lacking = []
    for quantity in quantities:
        values = _numbers(table, quantity)
        if np.isnan(values).all():
            lacking.append(quantity)
            continue
        for group in range(len(table.groups)):
            rows = table.group == group
            if not np.isnan(values[rows]).all():
                summary.append((group, _summary(quantity, values[rows], table.task[rows])))
                curves += [(group, row) for row in _curve(table, quantity, values, group, level)]
    notes = (f"No counted trial knows {listed(lacking)}.",) if lacking else ()
    return Distribution(
        table=with_groups(table, curves, DTYPES),
        summary=with_groups(table, summary, SUMMARY_DTYPES),
        notes=(*table.said, *notes),
        by=table.by,
        level=level,
    )


def with_groups(
    table: TrialTable, rows: list[tuple[int, dict[str, object]]], dtypes: dict[str, str]
) -> pd.DataFrame:
    """Put the values of the grouping columns before the rows of each group."""
    found = pd.DataFrame([row for _, row in rows], columns=list(dtypes)).astype(dtypes)
    groups = table.groups.iloc[[group for group, _ in rows]].reset_index(drop=True)
    return pd.concat([groups, found], axis=1)


def _require(table: TrialTable, quantities: Sequence[str]) -> None:
    names = {*table.frame.columns, "tokens"}
    lacking = [quantity for quantity in quantities if quantity not in names]
    if len(lacking) == len(quantities) or (lacking and tuple(quantities) != QUANTITIES):
        what = f"the trial table has no column {listed(map(repr, lacking))}"
        raise InvalidInput(what, "argument quantities", "name numeric columns of store.trials()")


def _numbers(table: TrialTable, quantity: str) -> Floats:
    if quantity == "tokens" and "tokens" not in table.frame.columns:
        return np.sum([table.numbers(name) for name in TOKEN_BUCKETS], axis=0)
    return table.numbers(quantity)


def _summary(quantity: str, values: Floats, task: np.ndarray) -> dict[str, object]:
    used = ~np.isnan(values)
    low, middle, p90, high = np.quantile(values[used], [0, 0.5, 0.9, 1]).tolist()
    return {
        "quantity": quantity,
        "trials": int(used.sum()),
        "tasks": len(np.unique(task[used])),
        "unknown": int((~used).sum()),
        "smallest": low,
        "median": middle,
        "p90": p90,
        "largest": high,
    }


def _curve(
    table: TrialTable, quantity: str, values: Floats, group: int, level: float
) -> Iterator[dict[str, object]]:
    rows = (table.group == group) & ~np.isnan(values)
    used, task = values[rows], table.task[rows]
    n = np.bincount(task, minlength=len(table.tasks))
    distinct = np.unique(used)
    if len(distinct) > POINTS:
        distinct = np.unique(np.quantile(used, np.linspace(0, 1, POINTS), method="higher"))
    for value in distinct.tolist():
        within = np.bincount(task[used <= value], minlength=len(n))
        found = wilson_cluster_interval(within[n > 0], n[n > 0], level=level)
        yield {
            "quantity": quantity,
            "value": value,
            "share": found.estimate,
            "low": found.low,
            "high": found.high,
            "trials": int(n.sum()),
            "tasks": int((n > 0).sum()),
        }
