"""Does the conclusion change under other policies, estimands and methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.cells import cells_of
from agenteval.comparison.head_to_head import head_to_head
from agenteval.comparison.head_to_head_result import HeadToHead
from agenteval.comparison.pairing import Pair, pair_groups
from agenteval.comparison.policies import (
    COUNTING,
    ESTIMATING,
    Estimate,
    Rows,
    default_difference,
    of_difference,
    weightiest_task,
)
from agenteval.comparison.printing import Sheet
from agenteval.comparison.recount import DEFAULT, with_verdicts
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import TrialsLike, TrialTable, read_trials
from agenteval.comparison.verdict import decide_verdict, points_interval
from agenteval.comparison.wording import known, listed, p_value
from agenteval.errors import NotEnoughData
from agenteval.stats import adjust_p_values, paired_t_difference

DTYPES: dict[str, str] = {
    "policy": "str", "question": "str", "tasks": "int64",
    "difference": "float64", "low": "float64", "high": "float64", "level": "float64",
    "method": "str", "pvalue": "float64", "pvalue_adjusted": "float64", "verdict": "str",
    "margin": "float64", "changes": "bool",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Sensitivity(Result):
    """The table of `sensitivity`.

    Attributes
    ----------
    level, margin
        As given.
    """

    level: float
    margin: float

    @property
    def verdict(self) -> str:
        """Whether the conclusion holds, in words, one sentence a candidate."""
        said = []
        for (_, candidate), rows in self.table.groupby(["baseline", "candidate"], sort=False):
            default = rows["verdict"].iloc[0]
            moved = rows[rows["changes"]]
            if moved.empty:
                said.append(f'{candidate}: "{default}" holds under all {len(rows)} policies.')
                continue
            which = [f"{p} ({v})" for p, v in zip(moved["policy"], moved["verdict"], strict=True)]
            said.append(
                f'{candidate}: "{default}" changes under {len(moved)} of {len(rows)} policies: '
                f"{listed(which, most=10)}."
            )
        return " ".join(said)

    def remarks(self) -> tuple[str, ...]:
        """Return the verdict, then what has to be said beside it."""
        return (self.verdict, *self.notes)

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = [
            "candidate",
            "policy",
            f"difference [{100 * self.level:g} %]",
            "p",
            "verdict",
            "tasks",
        ]
        rows = [
            [
                str(row["candidate"]),
                f"{row['policy']}: {row['question']}",
                points_interval(row),
                p_value(row["pvalue_adjusted"]),
                f"{row['verdict']}{' (changes)' if row['changes'] else ''}",
                str(row["tasks"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Sensitivity of the conclusion", heads, rows, 2)


def sensitivity(
    trials: TrialsLike,
    *,
    baseline: Any,
    candidate: Any = None,
    by: str = "arm",
    level: float = 0.95,
    margin: float = 0.05,
) -> Sensitivity:
    """Compare again under every other defensible way to count and to estimate.

    A conclusion that only one policy supports is a conclusion about that policy. The default comes
    first; the others change one thing each: what counts (errors, left-out trials in the best and the
    worst case, repeats), what is estimated (pooled trials, exactly these tasks), or the method.

    Parameters
    ----------
    trials, baseline, candidate, by, level, margin
        As for `head_to_head`.

    Returns
    -------
    Sensitivity
        `.verdict` in words and `.table` with one row a candidate and policy: `policy`, `question`
        (what is done differently), `tasks`, `difference`, `low`, `high`, `level`, `method`,
        `pvalue` (NaN where the method has none: the interval then decides alone),
        `pvalue_adjusted` over the candidates, `verdict` by the rule of `head_to_head`, `changes`
        (whether it differs from the default's). A policy that the data do not allow has no row, and
        `.notes` says why.

    Raises
    ------
    InvalidInput, NotEnoughData
        As for `head_to_head`.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(arm, task, arm == "v2") for arm in ("base", "v2") for task in "abcdefgh"]
    >>> trials = pd.DataFrame(rows, columns=["arm", "task_id", "passed"])
    >>> trials["status"] = trials["passed"].map({True: "pass", False: "fail"})
    >>> sensitivity(trials, baseline="base").verdict
    'v2: "better" holds under all 13 policies.'
    """
    whole = head_to_head(
        trials, baseline=baseline, candidate=candidate, by=by, level=level, margin=margin
    )
    table = whole.trial_table
    found: dict[str, list[Estimate | None]] = {}
    questions: dict[str, str] = {}
    notes: list[str] = list(whole.notes)
    for name, question, estimates in _policies(whole, table):
        questions[name], found[name] = question, estimates
        without = [p.candidate for p, e in zip(whole.pairs, estimates, strict=True) if e is None]
        if without:
            notes.append(f'The policy "{name}" cannot be applied to the data of {listed(without)}.')
    rows = [
        row
        for name, estimates in found.items()
        for row in _rows(whole, name, questions[name], estimates)
    ]
    first = {(r["baseline"], r["candidate"]): r["verdict"] for r in rows if r["policy"] == DEFAULT}
    for row in rows:
        row["changes"] = row["verdict"] != first[row["baseline"], row["candidate"]]
    place = {(pair.baseline, pair.candidate): i for i, pair in enumerate(whole.pairs)}
    rows.sort(key=lambda row: place[row["baseline"], row["candidate"]])
    frame = pd.DataFrame(rows)[["baseline", "candidate", *DTYPES]].astype(DTYPES)
    return Sensitivity(table=frame, notes=tuple(notes), level=level, margin=margin)


def _policies(
    whole: HeadToHead, table: TrialTable
) -> Iterator[tuple[str, str, list[Estimate | None]]]:
    level = whole.level
    yield (
        DEFAULT,
        "as in the head-to-head table",
        [default_difference(p, level) for p in whole.pairs],
    )
    for name, (question, count) in COUNTING.items():
        if name != "first repeat" or "repeat" in table.frame.columns:
            yield (
                name,
                question,
                [_counted_otherwise(table, pair, count, level) for pair in whole.pairs],
            )
    for name, (question, estimate) in ESTIMATING.items():
        estimates = [_tried(estimate, pair, level) for pair in whole.pairs]
        if name == "one task dropped" and len(whole.pairs) == 1:
            task = whole.tasks_of(whole.pairs[0])["task_id"].iloc[weightiest_task(whole.pairs[0])]
            question = f"{question} ({task})"
        yield name, question, estimates
    if "score" in table.frame.columns:
        scores = cells_of(table).mean(table, "score")
        pairs = [_scored(table, pair, scores, level) for pair in whole.pairs]
        yield "score", "the mean score of the checks instead of pass or fail", pairs


def _tried(estimate: Any, pair: Pair, level: float) -> Estimate | None:
    try:
        found: Estimate = estimate(pair, level)
    except NotEnoughData:
        return None
    return found if known(found.low) and known(found.high) else None


def _counted_otherwise(table: TrialTable, pair: Pair, count: Any, level: float) -> Estimate | None:
    rows: Rows = (table.group == pair.group_a) | (table.group == pair.group_b)
    frame = table.frame[rows]
    verdicts = count(frame, table.group[rows] == pair.group_b)
    again = read_trials(with_verdicts(frame, verdicts), by=table.by)
    groups = again.groups.iloc[:, 0].tolist()
    if pair.baseline not in groups or pair.candidate not in groups:
        return None
    a, b = groups.index(pair.baseline), groups.index(pair.candidate)
    new = pair_groups(again, cells_of(again), a, b)
    return _tried(default_difference, new, level) if len(new.task) else None


def _scored(table: TrialTable, pair: Pair, scores: Any, level: float) -> Estimate | None:
    cells = cells_of(table)
    a, b = (
        scores[cells.of(group)][np.searchsorted(cells.task[cells.of(group)], pair.task)]
        for group in (pair.group_a, pair.group_b)
    )
    both = ~(np.isnan(a) | np.isnan(b))
    if both.sum() < 2:
        return None
    found = of_difference(paired_t_difference(a[both], b[both], level=level))
    return found if known(found.low) else None


def _rows(
    whole: HeadToHead, name: str, question: str, estimates: list[Estimate | None]
) -> Iterator[dict[str, Any]]:
    p = [float("nan") if e is None else e.pvalue for e in estimates]
    adjusted = p if whole.adjust == "none" else adjust_p_values(p, method=whole.adjust).tolist()  # type: ignore[arg-type]
    for pair, estimate, value in zip(whole.pairs, estimates, adjusted, strict=True):
        if estimate is None:
            continue
        verdict = decide_verdict(
            tasks=estimate.tasks,
            low=estimate.low,
            high=estimate.high,
            pvalue=value if known(value) else 0.0,
            alpha=1 - whole.level,
            margin=whole.margin,
        )
        yield {
            "baseline": pair.baseline,
            "candidate": pair.candidate,
            "policy": name,
            "question": question,
            **vars(estimate),
            "level": whole.level,
            "pvalue_adjusted": value,
            "margin": whole.margin,
            "verdict": verdict,
        }
