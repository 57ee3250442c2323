"""Judgments and labels brought together: one row a rubric, judge and trial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import Floats, to_floats
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import panel_verdict

TRIAL = ["run_id", "trial_id"]
_NEEDED = ("run_id", "trial_id", "rubric", "judge", "score", "task_id", "arm")
_LABEL = ("run_id", "trial_id", "annotator", "passed")
THRESHOLD = 0.7


def judged_items(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row a rubric, judge and trial, from the newest judging of each; panels as judges too.

    Returns
    -------
    pandas.DataFrame
        `rubric, judge, run_id, trial_id, suite, task_id, arm`, `score` (median of samples, NaN when
        all are missing), `verdict` (1, 0, NaN), `threshold`, `samples`, `unscored` replies without a
        score, `missing` samples, `flagged` (the work speaks to its judge), `self_judged`.
    """
    _require(judgments, _NEEDED, "judgments")
    rows = judgments.reset_index(drop=True)
    if "versus" in rows:
        rows = rows[rows["versus"].isna()]
    rows = _newest(rows)
    if rows.empty:
        raise NotEnoughData(
            "there is no judgment", "argument judgments", "run `agenteval rejudge` first"
        )
    items = _items(_filled(rows))
    return pd.concat([items, *_panels(items)], ignore_index=True)


def people(labels: pd.DataFrame, items: pd.DataFrame) -> tuple[Floats, pd.DataFrame]:
    """What people say of each item, and their single labels.

    The majority of those who labelled the trial by this rubric, or by none in particular; NaN
    without a label or with a tie.

    Returns
    -------
    truth, single
        `single` has a row an item with a label and a column a person.
    """
    _require(labels, _LABEL, "labels")
    said = labels[[*_LABEL]].assign(passed=_passed(labels), rubric=labels.get("rubric"))
    said = said[~np.isnan(said["passed"].to_numpy(float))]
    keyed = items[[*TRIAL, "rubric"]].assign(item=np.arange(len(items)))
    joined = keyed.merge(said, on=TRIAL, suffixes=("", "_of_label"))
    own = joined["rubric_of_label"].isna() | (joined["rubric_of_label"] == joined["rubric"])
    joined = joined[own.to_numpy(bool)]
    single = joined.pivot_table(index="item", columns="annotator", values="passed", aggfunc="last")
    truth = np.full(len(items), np.nan)
    if len(single):
        share = single.mean(axis=1).to_numpy(float)
        truth[single.index.to_numpy()] = np.where(share == 0.5, np.nan, share > 0.5)
    return truth, single


def task_codes(items: pd.DataFrame) -> np.ndarray:
    """Number of each item's task."""
    names = items["suite"].astype(str) + "/" + items["task_id"].astype(str)
    return pd.factorize(names, sort=True)[0]


def _passed(labels: pd.DataFrame) -> Floats:
    passed = to_floats(labels["passed"], "passed")
    if "score" in labels:
        score = to_floats(labels["score"], "score")
        passed = np.where(np.isnan(passed), np.where(np.isnan(score), np.nan, score >= 0.5), passed)
    return passed


def _require(frame: pd.DataFrame, names: Sequence[str], what: str) -> None:
    missing = [name for name in names if name not in frame]
    if missing:
        raise InvalidInput(
            f"the table has no column {missing[0]}",
            f"argument {what}",
            f"pass what store.{what}() gives, or a table with {', '.join(names)}",
        )


def _newest(rows: pd.DataFrame) -> pd.DataFrame:
    """Of several judgings of the same trial by the same rubric and judge, the last."""
    if "at" not in rows or rows.empty:
        return rows
    told = [name for name in ("judging", "grading") if name in rows]
    keys = [*TRIAL, "rubric", "judge", *(["check"] if "check" in rows else [])]
    round_ = rows.groupby(told, dropna=False).ngroup() if told else pd.Series(0, index=rows.index)
    ordered = rows.assign(_round=round_).sort_values("at", kind="stable")
    last = ordered.groupby(keys, dropna=False)["_round"].transform("last")
    return ordered[ordered["_round"] == last].drop(columns="_round")


def _filled(rows: pd.DataFrame) -> pd.DataFrame:
    score = to_floats(rows["score"], "score")
    counted = to_floats(rows["counted"], "counted") if "counted" in rows else score
    gone = (rows["reply"].isna() if "reply" in rows else pd.Series(np.isnan(counted))).to_numpy(
        bool
    )
    signs = rows["injection"] if "injection" in rows else pd.Series([[]] * len(rows))
    own = rows["self_judged"] if "self_judged" in rows else pd.Series([None] * len(rows))
    return pd.DataFrame(
        {
            **{
                name: rows[name].to_numpy()
                for name in (*TRIAL, "rubric", "judge", "task_id", "arm")
            },
            "suite": rows["suite"].to_numpy() if "suite" in rows else "",
            "panel": rows["panel"].to_numpy() if "panel" in rows else None,
            "threshold": to_floats(rows["threshold"], "threshold")
            if "threshold" in rows
            else THRESHOLD,
            "counted": counted,
            "unscored": np.isnan(score) & ~gone,
            "missing": np.isnan(score) & gone,
            "flagged": [len(found) > 0 if found is not None else False for found in signs],
            "self_judged": (own == True).to_numpy(bool, na_value=False),  # noqa: E712 - NULL is unknown
        }
    )


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    grouped = rows.groupby(["rubric", "judge", *TRIAL], sort=True, dropna=False)
    items = grouped.agg(
        suite=("suite", "first"),
        task_id=("task_id", "first"),
        arm=("arm", "first"),
        panel=("panel", "first"),
        threshold=("threshold", "last"),
        score=("counted", "median"),
        samples=("counted", "size"),
        unscored=("unscored", "sum"),
        missing=("missing", "sum"),
        flagged=("flagged", "any"),
        self_judged=("self_judged", "any"),
    ).reset_index()
    # replies without any score never pass, also where they are left out of medians
    silent = items["score"].isna() & (items["unscored"] > 0)
    items.loc[silent, "score"] = 0.0
    reached = items["score"].round(9) >= items["threshold"]
    items["verdict"] = np.where(items["score"].isna(), np.nan, reached.astype(float))
    return items


def _panels(items: pd.DataFrame) -> list[pd.DataFrame]:
    """A row a panel and trial, from its judges' rows."""
    found = []
    with_panel = items[items["panel"].notna()]
    for (rubric, rule), part in with_panel.groupby(["rubric", "panel"], sort=True):
        judges = sorted(part["judge"].unique())
        if len(judges) < 2:
            continue
        value = "verdict" if rule == "majority" else "score"
        wide = part.pivot_table(index=TRIAL, columns="judge", values=value, sort=True)
        if wide.empty or len(wide.columns) < 2:
            continue
        joined = panel_verdict(wide.to_numpy(float), rule=str(rule)).values  # type: ignore[arg-type]
        one = part.drop_duplicates(TRIAL).set_index(TRIAL).loc[wide.index].reset_index()
        sums = part.groupby(TRIAL, sort=True)[["samples", "unscored", "missing"]].sum()
        reached = np.round(joined, 9) >= (0.5 if rule == "majority" else one["threshold"])
        found.append(
            one.assign(
                judge=f"panel ({rule} of {', '.join(judges)})",
                rubric=rubric,
                panel=None,
                score=joined,
                verdict=np.where(np.isnan(joined), np.nan, reached),
                **{name: sums.loc[wide.index, name].to_numpy() for name in sums},
            )
        )
    return found
