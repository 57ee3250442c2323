"""Where the tokens go: fresh input, cache reads, cache writes, output, by arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agenteval.comparison.distribution import with_groups
from agenteval.comparison.measures import TOKEN_BUCKETS
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import By, TrialsLike, read_trials
from agenteval.comparison.wording import known, number, percent
from agenteval.errors import NotEnoughData
from agenteval.stats import bootstrap_interval

BUCKETS = dict(zip(TOKEN_BUCKETS, ("input", "cache read", "cache write", "output"), strict=True))
RESAMPLES = 2_000
DTYPES: dict[str, str] = {
    "bucket": "str", "trials": "int64", "tasks": "int64", "unknown": "int64", "total": "float64",
    "mean": "float64", "low": "float64", "high": "float64", "share": "float64",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenBuckets(Result):
    """The table of `token_buckets`.

    Attributes
    ----------
    by
        Grouping columns.
    level
        Level of the intervals.
    """

    by: tuple[str, ...]
    level: float

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        rows = [
            [
                *(str(row[name]) if known(row[name]) else "unknown" for name in self.by),
                row["bucket"],
                number(row["mean"]),
                f"[{number(row['low'])}, {number(row['high'])}]" if known(row["low"]) else "",
                number(row["total"]),
                percent(row["share"]),
                str(row["trials"]),
                str(row["unknown"]),
            ]
            for row in self.table.to_dict("records")
        ]
        heads = [*self.by, "tokens", "a trial", f"{100 * self.level:g} %", "total", "share"]
        return Sheet("Tokens", [*heads, "trials", "unknown"], rows, len(self.by) + 1)


def token_buckets(
    trials: TrialsLike, *, by: By = "arm", level: float = 0.95, seed: int = 0
) -> TokenBuckets:
    """Split the tokens of each arm into the four disjoint counts that are billed apart.

    Only trials that count and know all four are taken, so that the shares add up to 1. The
    independent unit is the task: means are means of task means, with a bootstrap over tasks.

    Parameters
    ----------
    trials
        A trial table or a store, as for `scoreboard`.
    by
        Column or columns that make the groups.
    level
        Level of the intervals, in (0, 1).
    seed
        Seed of the bootstrap.

    Returns
    -------
    TokenBuckets
        `.table` has one row a group and `bucket` (`input`, `cache read`, `cache write`, `output`):
        `trials` on `tasks` that know their tokens, `unknown` trials that do not, `total` tokens, the
        `mean` a trial with `low`, `high` (NaN with one task, or when all are alike), `share` of the group's tokens (NaN
        when it used none). A group that knows nothing is left out; the table may be empty.

    Raises
    ------
    InvalidInput
        For a table that cannot be read.
    NotEnoughData
        When there are no trials.

    Examples
    --------
    >>> trials = pd.DataFrame({"arm": "a", "task_id": list("xy"), "status": "pass", "passed": True,
    ...     "input_tokens": [10, 30], "cache_read_tokens": [100, 60], "cache_write_tokens": 0,
    ...     "output_tokens": [0, 0]})
    >>> token_buckets(trials).table[["bucket", "total", "mean", "share"]]
            bucket  total  mean  share
    0        input   40.0  20.0    0.2
    1   cache read  160.0  80.0    0.8
    2  cache write    0.0   0.0    0.0
    3       output    0.0   0.0    0.0
    """
    table = read_trials(trials, by=by)
    table = table.keep(table.counted)
    columns = {name: table.numbers(name) for name in BUCKETS}
    ok = ~np.isnan(np.sum(list(columns.values()), axis=0)) if len(table.group) else table.counted
    rows: list[tuple[int, dict[str, object]]] = []
    lacking = 0
    for group in range(len(table.groups)):
        mine = table.group == group
        use = mine & ok
        if not use.any():
            lacking += 1
            continue
        totals = {name: float(values[use].sum()) for name, values in columns.items()}
        whole = sum(totals.values())
        for name, words in BUCKETS.items():
            means = pd.Series(columns[name][use]).groupby(table.task[use]).mean().to_numpy(float)
            low, high = _limits(means, level, seed)
            row: dict[str, object] = {
                "bucket": words,
                "trials": int(use.sum()),
                "tasks": len(means),
                "unknown": int((mine & ~ok).sum()),
                "total": totals[name],
                "mean": float(means.mean()),
                "low": low,
                "high": high,
                "share": totals[name] / whole if whole else float("nan"),
            }
            rows.append((group, row))
    notes = ("Groups that know no tokens are left out.",) if lacking else ()
    return TokenBuckets(
        table=with_groups(table, rows, DTYPES),
        notes=(*table.said, *notes),
        by=table.by,
        level=level,
    )


def _limits(means: np.ndarray, level: float, seed: int) -> tuple[float, float]:
    try:
        found = bootstrap_interval(means, level=level, seed=seed, resamples=RESAMPLES, bounds=None)
    except NotEnoughData:
        return float("nan"), float("nan")
    return float(np.maximum(found.low, 0.0)), float(found.high)
