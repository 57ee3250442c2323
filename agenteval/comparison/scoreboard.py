"""Per arm (or any columns): how often it passes, how sure that is, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.cautions import cautions, group_labels
from agenteval.comparison.cells import Cells, cells_of
from agenteval.comparison.measures import measures
from agenteval.comparison.printing import Sheet
from agenteval.comparison.rate_interval import (
    ESTIMANDS,
    Method,
    Over,
    check_method,
    rate_interval,
)
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, TrialTable, read_trials
from agenteval.comparison.wording import (
    UNKNOWN,
    dollars,
    known,
    number,
    percent,
    percent_interval,
    seconds,
    size_of,
    tallies,
)
from agenteval.errors import InvalidInput
from agenteval.stats import missing_band, pass_at_k, pass_hat_k

DTYPES: dict[str, str] = {
    "tasks": "int64", "trials": "int64", "left_out": "int64", "left_out_why": "str",
    "rate": "float64", "low": "float64", "high": "float64", "method": "str", "n_eff": "float64",
    "band_low": "float64", "band_high": "float64", "score": "float64",
    "passes": "int64", "fails": "int64", "errors": "int64", "skipped": "int64",
    "repeats": "Int64", "k": "Int64", "pass_hat_k": "float64", "pass_at_k": "float64",
    "flaky_tasks": "Int64",
    "cost_median_usd": "float64", "cost_total_usd": "float64", "cost_per_success_usd": "float64",
    "cost_source": "str", "cost_known": "int64", "all_attempts_cost_usd": "float64",
    "duration_median_s": "float64", "agent_median_s": "float64", "turns_median": "float64",
    "tool_calls_median": "float64", "tool_errors": "Int64", "input_tokens": "Int64",
    "cache_read_tokens": "Int64", "cache_write_tokens": "Int64", "output_tokens": "Int64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Scoreboard(Result):
    """The table of `scoreboard`, with what was asked.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    over, method
        Estimand and method, as given.
    """

    by: tuple[str, ...]
    level: float
    over: str
    method: str

    @property
    def estimand(self) -> str:
        """What the rate estimates, in words."""
        return ESTIMANDS[self.over]

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rate = f"pass rate [{100 * self.level:g} %]"
        heads = [*self.by, rate, "n", "left out", "pass^k", "median cost", "total cost"]
        heads += ["cost per success", "median time", "turns"]
        rows = [_texts(row, self.by) for row in self.table.to_dict("records")]
        return Sheet(f"Scoreboard: {self.estimand}", heads, rows, len(self.by)).without(UNKNOWN)


def _texts(row: dict[str, Any], by: tuple[str, ...]) -> list[str]:
    why = f"{row['left_out']} ({row['left_out_why']})" if row["left_out"] else "0"
    powers = f"{percent(row['pass_hat_k'])} (k={row['k']})" if known(row["k"]) else UNKNOWN
    time = row["agent_median_s"] if known(row["agent_median_s"]) else row["duration_median_s"]
    return [
        *(str(row[name]) if known(row[name]) else "unknown" for name in by),
        percent_interval(row["rate"], row["low"], row["high"]),
        size_of(row["tasks"], row["trials"]),
        why,
        powers,
        dollars(row["cost_median_usd"]),
        dollars(row["cost_total_usd"]),
        dollars(row["cost_per_success_usd"]),
        seconds(time),
        number(row["turns_median"]),
    ]


def scoreboard(
    trials: TrialsLike,
    *,
    by: By = "arm",
    level: float = 0.95,
    over: Over = "tasks",
    method: Method = "wilson_cluster",
) -> Scoreboard:
    """Per arm: how often it passes and how sure that is, what was left out, what it cost.

    The independent unit is the task, (suite, task_id): repeats of one task are not independent
    trials, so the interval is as wide as the tasks make it. Every task weighs the same. To say which
    of two arms is better use `head_to_head`, which pairs them on their tasks: two intervals that
    overlap do not show that nothing differs.

    Parameters
    ----------
    trials
        A trial table (`arm` or the columns of `by`, `task_id`, `passed`, `status`; every other
        column of `records.columns("trials")` is used where it is there), or a store.
    by
        Column or columns that make the rows; a missing value is a row of its own.
    level
        Level of the intervals, in (0, 1).
    over
        `tasks`: the tasks are a sample of those that matter. `runs`: exactly these tasks are the
        question, only run-to-run noise counts (needs two repeats of each). `trials`: pooled rate,
        tasks with more repeats weigh more.
    method
        `wilson_cluster`; `exact` (Korn-Graubard, never below its level, pooled rate); `cluster_t`;
        `bootstrap` (BCa over tasks).

    Returns
    -------
    Scoreboard
        `.table` has one row a group; the best rate comes first when `by` is one column, else rows
        are in order of the columns. All of its columns are always there:

        - `tasks` with at least one counted trial, `trials` counted, `left_out` rows that do not
          count (trials + left_out = rows given) and `left_out_why` (classes with counts).
        - `rate` with `low`, `high` by `method`; `n_eff` independent trials would tell as much.
          Without a counted trial the rate is NaN and the interval [0, 1].
        - `band_low`, `band_high`: the rate had all left-out trials failed, or all passed.
        - `score`: mean over tasks of the mean score of counted trials, 0 to 1.
        - `passes`, `fails`, `errors` (counted as zero), `skipped` (part of left_out).
        - `repeats`: fewest counted trials of a task; `k` is the same; `pass_hat_k`: chance that k
          tries all pass; `pass_at_k`: that at least one does; `flaky_tasks`: with both outcomes.
        - `cost_median_usd` of known costs, `cost_total_usd`, `cost_per_success_usd` (total over
          passes; NaN as soon as one cost is unknown), `cost_source`, `cost_known` trials with a
          known cost, `all_attempts_cost_usd` (spent on every started trial, retries and left-out
          trials included).
        - `duration_median_s`, `agent_median_s`, `turns_median`, `tool_calls_median` of known values
          of counted trials; `tool_errors` and the four disjoint token counts in total (NA as soon
          as one is unknown).

        `.notes` says what would make a reader misread it: tasks not shared, repeats unequal, much
        or uneven left out, costs reported rather than metered.

    Raises
    ------
    InvalidInput
        For a missing column, a trial given twice, a status and verdict that contradict each other,
        or options that do not go together.
    NotEnoughData
        Without any row, or when the method needs repeats that a group does not have.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("v1", "a", True), ("v1", "b", False), ("v2", "a", True), ("v2", "b", True)]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> scoreboard(trials).table[["arm", "tasks", "rate", "low", "high"]].round(3)
      arm  tasks  rate    low   high
    0  v2      2   1.0  0.342  1.000
    1  v1      2   0.5  0.095  0.905
    """
    check_method(over, method)
    table = read_trials(trials, by=by)
    taken = [name for name in table.by if name in DTYPES]
    if taken:
        what = f"the column {taken[0]!r} cannot make the rows: the table has a column of that name"
        raise InvalidInput(what, "argument by", "rename the column first")
    cells = cells_of(table)
    columns = _counts(table)
    columns |= _rates(table, cells, level=level, over=over, method=method)
    columns |= measures(table)
    board = pd.DataFrame(columns)[list(DTYPES)].astype(DTYPES)
    notes = cautions(table, cells, board)
    board = pd.concat([table.groups, board], axis=1)
    if len(table.by) == 1:
        board = board.sort_values("rate", ascending=False, kind="stable", na_position="last")
    return Scoreboard(
        table=board.reset_index(drop=True),
        notes=(*table.said, *notes),
        by=table.by,
        level=level,
        over=over,
        method=method,
    )


def _counts(table: TrialTable) -> dict[str, object]:
    size, counted = len(table.groups), table.counted
    status = table.words("status")

    def count(rows: Any) -> Any:
        return np.bincount(table.group[np.asarray(rows)], minlength=size)

    missing = table.keep(~counted)
    reason = missing.words("error_class")
    why = reason.where(reason.notna(), missing.words("status"))
    return {
        "trials": count(counted),
        "left_out": count(~counted),
        "left_out_why": tallies(missing.group, why, size),
        "passes": count(table.passed == 1),
        "fails": count(counted & (status == "fail")),
        "errors": count(counted & (status == "error")),
        "skipped": count(status == "skipped"),
    }


def _rates(
    table: TrialTable, cells: Cells, *, level: float, over: Over, method: Method
) -> dict[str, list[object]]:
    score = cells.mean(table, "score")
    labels = group_labels(table)
    rows = []
    for group, part in enumerate(cells.each_group(len(table.groups))):
        graded = cells.counted[part] > 0
        c, n = cells.passes[part][graded], cells.counted[part][graded]
        low, high = _band(cells, part, over)
        row: dict[str, object] = {"tasks": len(n), "band_low": low, "band_high": high}
        row["score"] = _known_mean(score[part][graded])
        if len(n):
            found = rate_interval(c, n, level=level, over=over, method=method, where=labels[group])
            row |= {"rate": found.estimate, "low": found.low, "high": found.high}
            row |= {"method": found.method, "n_eff": found.n_eff, **_repeats(c, n)}
        else:
            row |= {"low": 0.0, "high": 1.0}
        rows.append(row)
    frame = pd.DataFrame(rows, columns=_RATE_COLUMNS, dtype=object)
    return {name: frame[name].tolist() for name in frame}


_RATE_COLUMNS = [
    "tasks", "rate", "low", "high", "method", "n_eff", "band_low", "band_high", "score",
    "repeats", "k", "pass_hat_k", "pass_at_k", "flaky_tasks",
]  # fmt: skip


def _band(cells: Cells, part: slice, over: Over) -> tuple[float, float]:
    c, n, missing = cells.passes[part], cells.counted[part], cells.left_out[part]
    if over == "trials":
        total = n.sum() + missing.sum()
        return float(c.sum() / total), float((c.sum() + missing.sum()) / total)
    band = missing_band(c, n, missing)
    return band.low, band.high


def _repeats(c: Any, n: Any) -> dict[str, object]:
    k = int(n.min())
    return {
        "repeats": k,
        "k": k,
        "pass_hat_k": float(np.mean(pass_hat_k(n, c, k))),
        "pass_at_k": float(np.mean(pass_at_k(n, c, k))),
        "flaky_tasks": int(((c > 0) & (c < n)).sum()),
    }


def _known_mean(values: Any) -> float:
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
