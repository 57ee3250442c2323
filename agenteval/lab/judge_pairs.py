"""Two arms compared by judges, task by task, each pair in both orders."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd

from agenteval.errors import InvalidInput
from agenteval.judge import Asking, PairVerdict, ReplyCache, check_judges, judge_pair, pair_rows
from agenteval.lab.rejudge import stored_works
from agenteval.records import JudgeQuestion, JudgeSettings, StoreFolder
from agenteval.stats import PositionBias, position_bias
from agenteval.store import Store, add_judgments

KEYS = ["suite", "task_id", "repeat"]


@dataclass(frozen=True)
class PairsJudged:
    """What pairwise judging came to.

    Attributes
    ----------
    table
        One row a pair and judge: `suite, task_id, repeat, judge, baseline_trial, candidate_trial`,
        `winner` (baseline, candidate, tie; NULL without a verdict) and `flipped`.
    bias
        Judge to its flip rate and how often it prefers what it reads first; only pairs with both
        verdicts.
    judging
        Its id, as in the column `judging` of `store.judgments()`.
    """

    table: pd.DataFrame
    bias: dict[str, PositionBias]
    judging: str

    def __str__(self) -> str:
        """A line a judge."""
        lines = []
        for judge, part in self.table.groupby("judge"):
            won = part["winner"].value_counts()
            told = ", ".join(
                f"{won.get(name, 0)} {name}" for name in ("candidate", "baseline", "tie")
            )
            missing = int(part["winner"].isna().sum())
            bias = f"; {self.bias[str(judge)]}" if judge in self.bias else ""
            lines.append(f"{judge}: {told}, {missing} without a verdict{bias}")
        return "\n".join(lines)


def judge_pairs(
    store: Store,
    trials: pd.DataFrame,
    question: JudgeQuestion,
    settings: JudgeSettings | None = None,
    *,
    baseline: str,
    candidate: str,
    concurrency: int = 4,
) -> PairsJudged:
    """Have judges compare two arms' work on the same task and repeat, in both orders.

    A verdict that holds in both orders is a win, one that flips with the order a tie. Each reply is
    added to the store's judgments.jsonl, with the other trial in `versus`.

    Parameters
    ----------
    trials
        Trials of the store.
    baseline, candidate
        Labels of the arms.

    Raises
    ------
    InvalidInput
        Without a model, a key, or a pair of trials.
    MissingProgram
        When a judge needs the extra `llm`.
    """
    settings = settings or JudgeSettings()
    check_judges(question.judges or (None,), settings)
    pairs = _pairs(trials, baseline, candidate)
    works = stored_works(store, trials[trials["arm"].isin([baseline, candidate])], {})
    usable = [pair for pair in pairs if pair["trial_id_a"] in works and pair["trial_id_b"] in works]
    if not usable:
        raise InvalidInput(
            f"{baseline} and {candidate} have no task and repeat in common with work of both",
            "arguments baseline, candidate",
            "name two arms that ran the same tasks",
        )
    asking = Asking(settings, ReplyCache(StoreFolder(store.path).judge_cache))
    judging = f"pairs-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    by_id = {row["trial_id"]: row for row in trials.to_dict("records")}
    found: list[tuple[dict[str, str], PairVerdict]] = []
    with ThreadPoolExecutor(concurrency, thread_name_prefix="judge") as pool:
        asked = pool.map(
            lambda pair: judge_pair(
                works[pair["trial_id_a"]], works[pair["trial_id_b"]], question, asking
            ),
            usable,
        )
        for pair, verdicts in zip(usable, asked, strict=True):
            for verdict in verdicts:
                rows = pair_rows(
                    verdict,
                    question,
                    by_id[pair["trial_id_a"]],
                    pair["trial_id_b"],
                    judging=judging,
                )
                add_judgments(store.path, rows)
                found.append((pair, verdict))
    table = _table(found)
    return PairsJudged(table, _bias(found), judging)


def _pairs(trials: pd.DataFrame, baseline: str, candidate: str) -> list[dict[str, str]]:
    sides = [
        trials.loc[trials["arm"] == arm, [*KEYS, "trial_id"]].drop_duplicates(KEYS)
        for arm in (baseline, candidate)
    ]
    joined = sides[0].merge(sides[1], on=KEYS, suffixes=("_a", "_b"))
    return [{str(k): v for k, v in row.items()} for row in joined.to_dict("records")]


def _table(found: list[tuple[dict[str, str], PairVerdict]]) -> pd.DataFrame:
    names = {"one": "baseline", "other": "candidate", "tie": "tie", None: None}
    return pd.DataFrame(
        [
            {
                **{key: pair[key] for key in KEYS},
                "judge": verdict.judge,
                "baseline_trial": pair["trial_id_a"],
                "candidate_trial": pair["trial_id_b"],
                "winner": names[verdict.winner],
                "flipped": verdict.flipped,
            }
            for pair, verdict in found
        ]
    )


def _bias(found: list[tuple[dict[str, str], PairVerdict]]) -> dict[str, PositionBias]:
    bias = {}
    for judge in dict.fromkeys(verdict.judge for _, verdict in found):
        # the candidate is B: it was shown second when the baseline was shown first
        second, first = [], []
        for _, verdict in found:
            if verdict.judge == judge and verdict.flipped is not None:
                second.append(1 - (verdict.first_shown.score or 0.0))
                first.append(1 - (verdict.second_shown.score or 0.0))
        if second:
            bias[judge] = position_bias(second, first)
    return bias
