"""How the outcome depends on time, cost and turns: what a tighter limit would have cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, Floats, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import known, listed, number, percent_interval
from agenteval.errors import NotEnoughData
from agenteval.stats import wilson_cluster_interval

QUANTITIES = ("agent_s", "cost_usd", "turns")
POINTS = 40
DTYPES: dict[str, str] = {
    "quantity": "str", "limit": "float64", "tasks": "int64", "trials": "int64", "within": "int64",
    "rate": "float64", "low": "float64", "high": "float64",
}  # fmt: skip
OUTCOME_DTYPES: dict[str, str] = {
    "quantity": "str", "outcome": "str", "trials": "int64", "median": "float64", "p90": "float64",
    "largest": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class LimitCurves(Result):
    """The table of `limits`.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    outcomes
        One row a group, quantity and outcome (`pass`, `fail`, `error`): trials, `median`, `p90` and
        `largest` value.
    """

    by: tuple[str, ...]
    level: float
    outcomes: pd.DataFrame

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = [*self.by, "quantity", "outcome", "trials", "median", "90 %", "largest"]
        rows = [
            [
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                row["quantity"],
                row["outcome"],
                str(row["trials"]),
                number(row["median"]),
                number(row["p90"]),
                number(row["largest"]),
            ]
            for row in self.outcomes.to_dict("records")
        ]
        title = "What trials used, by outcome (.table: pass rate under every limit)"
        return Sheet(title, heads, rows, len(self.by) + 2)

    def at(self, quantity: str, limit: float) -> pd.DataFrame:
        """Return, for each group, the row of the largest limit up to `limit`."""
        rows = self.table[(self.table["quantity"] == quantity) & (self.table["limit"] <= limit)]
        return rows.groupby(list(self.by), dropna=False).tail(1).reset_index(drop=True)

    def text_of(self, row: pd.Series) -> str:
        """Write the rate of one row with its interval."""
        return percent_interval(row["rate"], row["low"], row["high"])


def limits(
    trials: TrialsLike,
    *,
    by: By = "arm",
    quantities: tuple[str, ...] = QUANTITIES,
    level: float = 0.95,
) -> LimitCurves:
    """Pass rate had every trial been stopped at a limit of time, cost or turns.

    A trial counts as passed under a limit when it passed and used no more than that. The curve shows
    where it flattens, that is from which limit on more buys nothing. It cannot show what would happen
    above the limits in force, and an agent that knows its limit may work otherwise. The independent
    unit is the task.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.
    quantities
        Columns to take as limits; those without a known value are left out.
    level
        Level of the intervals, in (0, 1).

    Returns
    -------
    LimitCurves
        `.table` has one row a group, quantity and limit (at most 40 of the values used, the
        same for all groups): `tasks` and `trials` with a known value, `within` trials that used
        no more than the limit, `rate` with `low`, `high`. `.outcomes` says what passes and fails
        used.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When no counted trial has a known value of any of the quantities.

    Examples
    --------
    >>> import pandas as pd
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xyz"), "turns": [2, 9, 4]})
    >>> trials = trials.assign(passed=[True, True, False], status=["pass", "pass", "fail"])
    >>> limits(trials).table[["quantity", "limit", "within", "rate"]].round(3)
      quantity  limit  within   rate
    0    turns    2.0       1  0.333
    1    turns    4.0       2  0.333
    2    turns    9.0       3  0.667
    """
    table = read_trials(trials, by=by)
    table = table.keep(table.counted)
    curves, outcomes, unknown = [], [], []
    for quantity in quantities:
        values = table.numbers(quantity)
        if np.isnan(values).all():
            continue
        if np.isnan(values).any():
            unknown.append(f"{quantity} {int(np.isnan(values).sum())}")
        curves += list(_curves(table, quantity, values, level))
        outcomes += list(_outcomes(table, quantity, values))
    if not curves:
        raise NotEnoughData(
            "no counted trial has a known time, cost or number of turns",
            f"argument trials, columns {', '.join(quantities)}",
            "name a column that is known with quantities=",
        )
    notes = (f"Trials with an unknown value are left out ({listed(unknown)}).",) if unknown else ()
    return LimitCurves(
        table=_with_groups(table, curves, DTYPES),
        outcomes=_with_groups(table, outcomes, OUTCOME_DTYPES),
        notes=(*table.said, *notes),
        by=table.by,
        level=level,
    )


Row = tuple[int, dict[str, object]]


def _curves(table: TrialTable, quantity: str, values: Floats, level: float) -> Iterator[Row]:
    ok = ~np.isnan(values)
    steps = _steps(values[ok])
    size = len(table.tasks)
    for group in range(len(table.groups)):
        rows = ok & (table.group == group)
        if not rows.any():
            continue
        task, used, passed = table.task[rows], values[rows], table.passed[rows] == 1
        n = np.bincount(task, minlength=size)
        for limit in steps.tolist():
            c = np.bincount(task[passed & (used <= limit)], minlength=size)
            found = wilson_cluster_interval(c[n > 0], n[n > 0], level=level)
            yield (
                group,
                {
                    "quantity": quantity,
                    "limit": limit,
                    "tasks": int((n > 0).sum()),
                    "trials": int(n.sum()),
                    "within": int((used <= limit).sum()),
                    "rate": found.estimate,
                    "low": found.low,
                    "high": found.high,
                },
            )


def _steps(values: Floats) -> Floats:
    """Return at most 40 values as limits: half at quantiles, half evenly over the range."""
    distinct = np.unique(values)
    if len(distinct) <= POINTS:
        return distinct
    half = np.linspace(0, 1, POINTS // 2)
    even = values.min() + half * np.ptp(values)
    nearest = distinct[np.minimum(np.searchsorted(distinct, even), len(distinct) - 1)]
    return np.unique([*np.quantile(values, half, method="higher"), *nearest])


def _outcomes(table: TrialTable, quantity: str, values: Floats) -> Iterator[Row]:
    status, known = table.words("status"), ~np.isnan(values)
    came_out = {name: (status == name).to_numpy() & known for name in ("pass", "fail", "error")}
    for group in range(len(table.groups)):
        mine = table.group == group
        for outcome, rows in came_out.items():
            used = values[mine & rows]
            if len(used):
                row: dict[str, object] = {
                    "quantity": quantity,
                    "outcome": outcome,
                    "trials": len(used),
                    "median": float(np.median(used)),
                    "p90": float(np.quantile(used, 0.9)),
                    "largest": float(used.max()),
                }
                yield group, row


def _with_groups(table: TrialTable, rows: list[Row], dtypes: dict[str, str]) -> pd.DataFrame:
    found = pd.DataFrame([row for _, row in rows])[list(dtypes)].astype(dtypes)
    groups = table.groups.iloc[[group for group, _ in rows]].reset_index(drop=True)
    return pd.concat([groups, found], axis=1)
