"""Does the difference hold in every category, or only in some."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.head_to_head import head_to_head
from agenteval.comparison.head_to_head_result import HeadToHead
from agenteval.comparison.pairing import Pair
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import Codes, Floats, TrialsLike, as_frame, read_trials
from agenteval.comparison.verdict import decide_verdict, detectable, difference_texts
from agenteval.comparison.wording import UNKNOWN, known, listed, p_value
from agenteval.errors import InvalidInput
from agenteval.stats import adjust_p_values, newcombe_cluster_difference

DTYPES: dict[str, str] = {
    "slice": "str", "tasks": "int64", "trials_baseline": "int64", "trials_candidate": "int64",
    "rate_baseline": "float64", "rate_candidate": "float64",
    "difference": "float64", "low": "float64", "high": "float64", "level": "float64",
    "method": "str", "pvalue": "float64", "pvalue_adjusted": "float64", "verdict": "str",
    "margin": "float64", "mde": "float64",
    "interaction_pvalue": "float64",
}  # fmt: skip
NO_SLICE = "unknown"
PERMUTATIONS = 9_999


@dataclass(frozen=True, kw_only=True, eq=False)
class Slices(Result):
    """The table of `slices`.

    Attributes
    ----------
    column
        Column that makes the slices.
    level, margin
        As given.
    """

    column: str
    level: float
    margin: float

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = [
            "candidate",
            self.column,
            "rates",
            f"difference [{100 * self.level:g} %]",
            "p (sign-flip)",
        ]
        heads += ["verdict", "detects", "n"]
        rows = []
        for row in self.table.to_dict("records"):
            candidate, *texts = difference_texts(row)
            rows.append([candidate, row["slice"], *texts])
        return Sheet(f"Difference by {self.column}, paired on tasks", heads, rows, 2).without(
            UNKNOWN
        )


def slices(
    trials: TrialsLike,
    *,
    column: str = "category",
    baseline: Any,
    candidate: Any = None,
    by: str = "arm",
    level: float = 0.95,
    margin: float = 0.05,
    seed: int = 0,
) -> Slices:
    """Compare a candidate with a baseline inside every slice of the tasks.

    Looking into many slices finds differences by chance, so the p-values of one candidate are
    adjusted over its slices (Holm), and one interaction test asks whether the slices differ at all:
    the labels of the tasks are permuted 9,999 times, and the statistic is the spread of the slices' mean
    differences around the overall one. Read a single slice only when the interaction is shown. The
    independent unit is the task.

    Parameters
    ----------
    trials, baseline, candidate, by, level, margin
        As for `head_to_head`.
    column
        Column with one value a task: `category`, `difficulty`, `language`, `suite`, or any other.
    seed
        Seed of the permutations.

    Returns
    -------
    Slices
        `.table` has one row for each candidate and slice, with the columns of
        `head_to_head(...).table` that compare pass rates; `pvalue_adjusted` is over the slices of
        the candidate, `interaction_pvalue` the same for all rows of a candidate (NaN with fewer than
        two slices). Tasks without a value are the slice `unknown`.

    Raises
    ------
    InvalidInput
        When the column is missing or one task has two values of it.
    NotEnoughData
        When two sides have no graded task in common.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(arm, f"{kind}{i}", kind, arm == "v2" and kind == "bug")
    ...         for arm in ("base", "v2") for kind in ("bug", "doc") for i in range(6)]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "category", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> slices(trials, baseline="base").table[["slice", "tasks", "difference", "verdict"]]
      slice  tasks  difference              verdict
    0   bug      6         1.0               better
    1   doc      6         0.0          cannot tell
    """
    frame = as_frame(trials)
    labels = slice_of_tasks(frame, column, by=by)
    whole = head_to_head(
        frame, baseline=baseline, candidate=candidate, by=by, level=level, margin=margin
    )
    rows, notes = [], list(whole.notes)
    for pair in whole.pairs:
        part = _pair_rows(whole, pair, labels, seed)
        notes += _interaction_notes(part, column)
        rows += part
    table = pd.DataFrame(rows)[["baseline", "candidate", *DTYPES]].astype(DTYPES)
    return Slices(table=table, notes=tuple(notes), column=column, level=level, margin=margin)


def slice_of_tasks(frame: pd.DataFrame, column: str, *, by: str) -> pd.Series:
    """Return the slice of each (suite, task_id); a task must have one value at most.

    Raises
    ------
    InvalidInput
        When the column is missing, or names a task with two values.
    """
    if column not in frame.columns:
        what = f"the trial table has no column {column!r}"
        raise InvalidInput(what, "argument column", "name a column such as 'category'")
    table = read_trials(frame, by=by)
    words = frame[column].astype("str")
    values = (
        pd.DataFrame({"task": table.task, "value": words.to_numpy()}).dropna().drop_duplicates()
    )
    twice = values["task"].duplicated()
    if twice.any():
        task = int(values["task"][twice].iloc[0])
        both = values["value"][values["task"] == task]
        what = f"{column} has several values within one task ({listed(both)})"
        where = f"task {table.tasks['task_id'].iloc[task]}"
        raise InvalidInput(
            what, where, "slice by a property of the task, or compare by that column"
        )
    found = values.set_index("task")["value"].reindex(range(len(table.tasks)))
    found.index = pd.MultiIndex.from_frame(
        table.tasks[["suite", "task_id"]].astype("str").fillna("")
    )
    return found.fillna(NO_SLICE)


def _pair_rows(whole: HeadToHead, pair: Pair, labels: pd.Series, seed: int) -> list[dict[str, Any]]:
    tasks = whole.tasks_of(pair).astype("str").fillna("")
    of_task = labels.loc[pd.MultiIndex.from_frame(tasks)].to_numpy()
    code, names = pd.factorize(of_task, sort=True)
    names, code = _unknown_last(names, code)
    d = pair.rates_b - pair.rates_a
    interaction = interaction_p_value(d, code, seed=seed)
    rows = [
        _slice_row(whole, pair, np.flatnonzero(code == i), str(name))
        for i, name in enumerate(names)
    ]
    adjusted = adjust_p_values([row["pvalue"] for row in rows], method="holm")
    for row, p in zip(rows, adjusted.tolist(), strict=True):
        row |= {"pvalue_adjusted": p, "interaction_pvalue": interaction}
        row["verdict"] = decide_verdict(
            tasks=row["tasks"],
            low=row["low"],
            high=row["high"],
            pvalue=p,
            alpha=1 - whole.level,
            margin=whole.margin,
        )
    return rows


def _unknown_last(names: Any, code: Codes) -> tuple[list[str], Codes]:
    order = sorted(range(len(names)), key=lambda i: (names[i] == NO_SLICE, i))
    place = np.argsort(order)
    return [str(names[i]) for i in order], place[code]


def _slice_row(whole: HeadToHead, pair: Pair, rows: Codes, name: str) -> dict[str, Any]:
    part = pair.of_tasks(rows)
    found = newcombe_cluster_difference(
        part.passes_a, part.trials_a, part.passes_b, part.trials_b, level=whole.level
    )
    return {
        "baseline": pair.baseline,
        "candidate": pair.candidate,
        "slice": name,
        "tasks": len(rows),
        "trials_baseline": int(part.trials_a.sum()),
        "trials_candidate": int(part.trials_b.sum()),
        "rate_baseline": float(part.rates_a.mean()),
        "rate_candidate": float(part.rates_b.mean()),
        "difference": found.estimate,
        "low": found.low,
        "high": found.high,
        "level": whole.level,
        "method": found.method,
        "pvalue": found.pvalue,
        "margin": whole.margin,
        "mde": detectable(part, alpha=1 - whole.level, margin=whole.margin)["mde"],
    }


def interaction_p_value(
    d: Floats, code: Codes, *, seed: int = 0, permutations: int = PERMUTATIONS
) -> float:
    """Return the p-value of "the mean difference is the same in every slice", by permutation.

    Parameters
    ----------
    d
        Difference by task.
    code
        Slice of each task, 0, 1, 2 ...

    Returns
    -------
    float
        (1 + permutations at least as spread) / (permutations + 1); NaN with fewer than two slices.
    """
    sizes = np.bincount(code)
    if len(sizes) < 2:
        return float("nan")
    order = np.lexsort((d, code))
    d, starts = d[order], np.concatenate([[0], np.cumsum(sizes)[:-1]])
    observed = _spread(d[None, :], starts, sizes)[0]
    rng, extreme, chunk = np.random.default_rng(seed), 0, max(1, 2_000_000 // len(d))
    for start in range(0, permutations, chunk):
        rows = np.broadcast_to(d, (min(chunk, permutations - start), len(d)))
        spread = _spread(rng.permuted(rows, axis=1), starts, sizes)
        extreme += int((spread >= observed - 1e-9 * max(1.0, abs(observed))).sum())
    return (1 + extreme) / (permutations + 1)


def _spread(d: Floats, starts: Codes, sizes: Codes) -> Floats:
    """Return the sum over slices of n times the squared mean: all that permuting changes."""
    return np.sum(np.add.reduceat(d, starts, axis=1) ** 2 / sizes, axis=1)


def _interaction_notes(rows: list[dict[str, Any]], column: str) -> Iterator[str]:
    p, candidate = rows[0]["interaction_pvalue"], rows[0]["candidate"]
    if not known(p):
        return
    if p < 1 - rows[0]["level"]:
        yield f"{candidate}: the difference depends on {column} (interaction p = {p_value(p)})."
    else:
        yield (
            f"{candidate}: it is not shown that the difference depends on {column} (interaction "
            f"p = {p_value(p)}), so read the overall difference rather than single slices."
        )
