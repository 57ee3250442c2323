"""Can a judge be trusted? Its verdicts held against what people say of the same trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.judge_items import judged_items, people, task_codes
from agenteval.comparison.judge_rows import (
    agreement_row,
    calibration_rows,
    corrected_row,
    leaning_row,
    threshold_rows,
)
from agenteval.comparison.judge_words import TRUSTED, trust_verdict, verdict_sentence
from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.trial_table import Codes, Floats
from agenteval.comparison.wording import UNKNOWN, count_of, number, percent, percent_interval
from agenteval.stats import krippendorff_alpha

EVERY_ARM = "all"
CONFUSION = (("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail"))


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeTrust(Result):
    """The table of `judge_trust`, and what it rests on.

    Attributes
    ----------
    by
        Column that makes the arms.
    level
        Level of the intervals.
    arms
        One row a rubric, judge and arm, `all` first.
    thresholds
        One row a rubric, judge and threshold.
    calibration
        One row a rubric, judge and bin of scores.
    confusion
        Four rows a rubric and judge: `people`, `judge` (pass or fail) and `n`.
    """

    by: str
    level: float
    arms: pd.DataFrame
    thresholds: pd.DataFrame
    calibration: pd.DataFrame
    confusion: pd.DataFrame

    @property
    def verdict(self) -> str:
        """A sentence for each rubric and judge: is it to be trusted, and why."""
        several = self.table["rubric"].nunique() > 1
        return "\n".join(
            verdict_sentence(row, with_rubric=several) for row in self.table.to_dict("records")
        )

    @property
    def trusted(self) -> bool:
        """Whether every judge here is to be trusted."""
        return bool((self.table["verdict"] == TRUSTED).all())

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = ["judge", "rubric", "verdict", "labelled", "agreement", "kappa", "AC1", "alpha"]
        heads += ["sensitivity", "specificity", "calibration error", "no score", "missing"]
        rows = [
            [
                str(row["judge"]),
                str(row["rubric"]),
                row["verdict"],
                f"{row['labelled']} of {row['judged']}",
                percent(row["agreement"]),
                *(number(row[name], digits=2) for name in ("kappa", "ac1", "alpha")),
                *(
                    percent_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])
                    for name in ("sensitivity", "specificity")
                ),
                number(row["calibration_error"], digits=2),
                f"{row['unscored']} of {row['replies']}",
                str(row["missing"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Is the judge to be trusted", heads, rows, 3).without(UNKNOWN)

    def remarks(self) -> tuple[str, ...]:
        """Return the sentences shown under the table."""
        return (*self.verdict.splitlines(), *self.notes)


def judge_trust(
    judgments: pd.DataFrame,
    labels: pd.DataFrame,
    *,
    by: str = "arm",
    level: float = 0.95,
    seed: int = 0,
) -> JudgeTrust:
    """Hold judges against people: agreement, error rates, calibration, and the corrected pass rate.

    The newest judgment of each trial counts, by rubric version and judge; a panel is judged beside
    its members. People's verdict is their majority; ties are left out and counted. Labels should be
    of trials drawn at random, and people should not see the judge's score: neither can be seen here.
    The independent unit is the task.

    Parameters
    ----------
    judgments
        Table of `store.judgments()`: `run_id, trial_id, task_id, arm, rubric, judge, score`, and
        where there are such columns `counted, threshold, reply, suite, panel, injection`.
    labels
        Table of `store.labels()`: `run_id, trial_id, annotator, passed`.
    by
        Column of `judgments` that makes the arms.
    level
        Level of the intervals, in (0, 1).
    seed
        Seed of the resampling.

    Returns
    -------
    JudgeTrust
        `.verdict` in words. `.table` has one row a rubric and judge: `judged` and `labelled` trials,
        `good` and `bad` in people's eyes, `undecided` (tied); `agreement`; `kappa`, `ac1`, `alpha`,
        `sensitivity`, `specificity` with `_low`, `_high`; `people_alpha`, how far people agree among
        themselves (NaN with one person a trial); `brier`, `calibration_error` (less its bias);
        `replies`, `unscored`, `missing`, `flagged`, `self_judged`; `verdict` and `because`.
        `.arms` adds by arm: `judge_rate`, `people_rate`, `rogan_gladen`, `ppi` with limits (NaN
        where too little is known), and `leaning`, by how much more than elsewhere the judge errs in
        this arm's favour, over tasks shared with others. Where an arm has ten labels of each kind
        its own error rates correct it, else those of all arms (`errors_of`).

    Raises
    ------
    InvalidInput
        For a table that lacks a column.
    NotEnoughData
        When there is no judgment.

    Examples
    --------
    >>> import pandas as pd
    >>> ids = {"run_id": "r", "trial_id": [f"t{i}" for i in range(60)]}
    >>> judged = pd.DataFrame(ids | {"task_id": ids["trial_id"], "arm": "a", "rubric": "v1", "judge": "m"})
    >>> judged["score"] = [0.9, 0.8, 0.2] * 20
    >>> said = pd.DataFrame(ids | {"annotator": "ada", "passed": [True, True, False] * 20})
    >>> found = judge_trust(judged, said)
    >>> found.trusted, found.table["kappa"].item()
    (True, 1.0)
    """
    if by not in judgments and by != "arm":
        judgments = judgments.assign(**{by: "unknown"})
    items = judged_items(judgments.assign(arm=judgments[by]) if by != "arm" else judgments)
    truth, single = people(labels, items)
    table, arms, thresholds, calibration, confusion = [], [], [], [], []
    for (rubric, judge), part in items.groupby(["rubric", "judge"], sort=True):
        keys = {"rubric": rubric, "judge": judge}
        own = part.index.to_numpy()
        one = _One(part, truth[own], level, seed)
        row, by_arm = one.row(single.reindex(own)), one.arms()
        row["verdict"], because = trust_verdict(row, by_arm)
        table.append(keys | row | {"because": "; ".join(because)})
        arms += [keys | arm for arm in by_arm]
        thresholds += [keys | found for found in threshold_rows(one.score, one.truth)]
        calibration += [keys | found for found in one.bins]
        confusion += [keys | found for found in one.confusion()]
    whole = pd.DataFrame(table)
    return JudgeTrust(
        table=whole,
        notes=_notes(whole),
        by=by,
        level=level,
        arms=pd.DataFrame(arms),
        thresholds=pd.DataFrame(thresholds),
        calibration=pd.DataFrame(calibration),
        confusion=pd.DataFrame(confusion),
    )


class _One:
    """One judge with one rubric."""

    def __init__(self, items: pd.DataFrame, truth: Floats, level: float, seed: int) -> None:
        self.items, self.truth, self.level, self.seed = items, truth, level, seed
        self.score: Floats = items["score"].to_numpy(float)
        self.judge: Floats = items["verdict"].to_numpy(float)
        self.task: Codes = task_codes(items)
        self.bins, self.brier, self.error = calibration_rows(self.score, truth, level, seed)

    def row(self, single: pd.DataFrame) -> dict[str, Any]:
        found = agreement_row(self.judge, self.truth, self.task, self.level, self.seed)
        said = ~single.isna().all(axis=1).to_numpy()
        return {
            "judged": len(self.items),
            **found,
            "undecided": int((said & np.isnan(self.truth)).sum()),
            "people_alpha": _people_alpha(single, self.seed),
            "brier": self.brier,
            "calibration_error": self.error,
            "replies": int((self.items["samples"] - self.items["missing"]).sum()),
            **{name: int(self.items[name].sum()) for name in ("unscored", "missing", "flagged")},
            "self_judged": bool(self.items["self_judged"].any()),
        }

    def arms(self) -> list[dict[str, Any]]:
        pooled = agreement_row(self.judge, self.truth, self.task, self.level, self.seed)
        names = self.items["arm"].astype(str).to_numpy()
        rows = [self._arm(EVERY_ARM, np.ones(len(names), dtype=bool), pooled)]
        several = sorted(set(names))
        if len(several) > 1:
            rows += [self._arm(arm, names == arm, pooled) for arm in several]
        return rows

    def _arm(self, arm: str, inside: np.ndarray, pooled: dict[str, Any]) -> dict[str, Any]:
        judge, truth, task = self.judge[inside], self.truth[inside], self.task[inside]
        own = agreement_row(judge, truth, task, self.level, self.seed)
        enough = min(own["good"], own["bad"]) >= 10
        items = self.items[inside]
        error = self.judge - self.truth
        return {
            "arm": arm,
            "judged": len(items),
            **own,
            **corrected_row(judge, truth, task, own if enough else pooled, self.level),
            "errors_of": "arm" if enough and arm != EVERY_ARM else EVERY_ARM,
            **leaning_row(error, self.task, inside, self._leaning_level),
            "replies": int((items["samples"] - items["missing"]).sum()),
            **{name: int(items[name].sum()) for name in ("unscored", "missing", "flagged")},
        }

    @property
    def _leaning_level(self) -> float:
        """So that among several arms none leans by chance (Bonferroni); of two, one mirrors the other."""
        arms = self.items["arm"].nunique()
        return self.level if arms <= 2 else 1 - (1 - self.level) / arms

    def confusion(self) -> list[dict[str, Any]]:
        values = {"pass": 1.0, "fail": 0.0}
        return [
            {
                "people": said,
                "judge_says": judged,
                "n": int(((self.truth == values[said]) & (self.judge == values[judged])).sum()),
            }
            for said, judged in CONFUSION
        ]


def _people_alpha(single: pd.DataFrame, seed: int) -> float:
    ratings = single.to_numpy(float)
    if not ratings.size or (~np.isnan(ratings)).sum(axis=1).max() < 2:
        return float("nan")
    return float(krippendorff_alpha(ratings, resamples=2, seed=seed).estimate)


def _notes(table: pd.DataFrame) -> tuple[str, ...]:
    notes = []
    for row in table.to_dict("records"):
        if row["self_judged"]:
            notes.append(f"{row['judge']} judged work of its own model.")
        if row["flagged"]:
            notes.append(
                f"{count_of(row['flagged'], 'trial')} judged by {row['judge']} hold text that speaks to the judge: read them."
            )
        if row["undecided"]:
            notes.append(
                f"{count_of(row['undecided'], 'trial')} on which people are tied are left out."
            )
        if row["missing"]:
            notes.append(
                f"{count_of(row['missing'], 'sample')} of {row['judge']} are missing, since the provider failed."
            )
    return tuple(dict.fromkeys(notes))
