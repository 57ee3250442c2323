"""How often judges gave no score or no reply, by arm, and what else a reader has to know of them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from agenteval.comparison.printing import Sheet
from agenteval.comparison.results import Result
from agenteval.comparison.wording import count_of, dollars, percent
from agenteval.errors import InvalidInput

COLUMNS = ("arm", "judge", "score", "reply", "injection", "self_judged", "on_judge_error")


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeHealth(Result):
    """The table of `judge_health`."""

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        heads = ["arm", "judge", "samples", "no score", "missing", "flagged", "cost"]
        rows = [
            [
                str(row["arm"]),
                str(row["judge"]),
                str(row["samples"]),
                f"{row['unscored']} ({percent(row['unscored_share'])})",
                f"{row['missing']} ({percent(row['missing_share'])})",
                str(row["flagged"]),
                dollars(row["cost_usd"]),
            ]
            for row in self.table.to_dict("records")
        ]
        return Sheet("Replies of judges", heads, rows, 2)


def judge_health(judgments: pd.DataFrame) -> JudgeHealth:
    """Count replies without a score and missing ones, by arm and judge.

    A candidate's work can cause the first, so they count as zero; the second are the provider's
    fault and are left out. Where either differs between arms, so may the arms' rates for no merit of
    theirs.

    Parameters
    ----------
    judgments
        Table of `store.judgments()`.

    Returns
    -------
    JudgeHealth
        `.table` has one row an arm and judge: `samples`, `unscored` and `missing` with their
        shares of the samples, `flagged` (the work speaks to its judge), `self_judged`, `left_out`
        (replies without a score that do not count as zero), `cost_usd` (NULL when unknown).

    Raises
    ------
    InvalidInput
        For a table without the columns.
    """
    missing = [name for name in COLUMNS if name not in judgments]
    if missing:
        raise InvalidInput(
            f"the table has no column {missing[0]}",
            "argument judgments",
            "pass what store.judgments() gives",
        )
    score = judgments["score"].isna()
    rows = judgments.assign(
        unscored=score & judgments["reply"].notna(),
        missing=score & judgments["reply"].isna(),
        flagged=[len(signs) > 0 for signs in judgments["injection"]],
        own=judgments["self_judged"].fillna(False).astype(bool),  # noqa: FBT003
    )
    rows["left_out"] = rows["unscored"] & (judgments["on_judge_error"] == "missing")
    rows["paid"] = rows.get("cost_usd", pd.Series(float("nan"), index=rows.index))
    grouped = rows.groupby(["arm", "judge"], sort=True)
    table = grouped.agg(
        samples=("unscored", "size"),
        unscored=("unscored", "sum"),
        missing=("missing", "sum"),
        flagged=("flagged", "sum"),
        self_judged=("own", "any"),
        left_out=("left_out", "sum"),
        cost_usd=("paid", lambda values: values.sum(skipna=False)),
    ).reset_index()
    for name in ("unscored", "missing"):
        table.insert(
            table.columns.get_loc(name) + 1, f"{name}_share", table[name] / table["samples"]
        )
    return JudgeHealth(table=table, notes=_notes(table))


def _notes(table: pd.DataFrame) -> tuple[str, ...]:
    notes = []
    for row in table.to_dict("records"):
        who = f"{row['judge']} on {row['arm']}"
        if row["self_judged"]:
            notes.append(f"{who}: the judge is the model it judges, and may favour itself")
        if row["unscored"]:
            what = "are left out (on_judge_error = missing)" if row["left_out"] else "count as 0"
            notes.append(
                f"{who}: {row['unscored']} of {count_of(row['samples'], 'sample')} without a score {what}"
            )
        if row["missing"]:
            notes.append(
                f"{who}: {row['missing']} of {count_of(row['samples'], 'sample')} missing, since the provider failed"
            )
        if row["flagged"]:
            notes.append(
                f"{who}: {count_of(row['flagged'], 'sample')} of work that speaks to its judge; read it"
            )
    return tuple(notes)
