"""Judgments as records: one row a sample."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agenteval.judge.asking import Sample
from agenteval.judge.pairs import PairVerdict
from agenteval.judge.prompt import rubric_version
from agenteval.judge.verdict import Judged, counted
from agenteval.records import JudgeQuestion, Judgment


def judgment_rows(
    judged: Judged,
    trial: Mapping[str, Any],
    *,
    judging: str,
    check: str | None = None,
    rubric_name: str | None = None,
) -> list[Judgment]:
    """Records of a judged piece of work.

    Parameters
    ----------
    trial
        What names the trial: `run_id`, `trial_id`, `attempt`, `grading`, `suite`, `task_id`, `arm`.
    judging
        `grading`, or the id of a rejudging.
    """
    own = judged.self_judged
    common = {
        **_common(judged.question, trial),
        "judging": judging,
        "check": check,
        "rubric_name": rubric_name,
        "injection": list(judged.injection),
        "on_judge_error": judged.on_judge_error,
    }
    return [
        Judgment(
            **common,
            **_of_sample(sample),
            counted=counted(sample, judged.on_judge_error),
            self_judged=None if own is None else sample.judge in own,
        )
        for sample in judged.samples
    ]


def pair_rows(
    verdict: PairVerdict,
    question: JudgeQuestion,
    trial: Mapping[str, Any],
    versus: str,
    *,
    judging: str,
    rubric_name: str | None = None,
) -> list[Judgment]:
    """Records of both orders of a comparison, from the side of `trial`.

    Parameters
    ----------
    versus
        Id of the trial it was compared with.
    """
    common = {
        **_common(question, trial),
        "judging": judging,
        "rubric_name": rubric_name,
        "versus": versus,
        "injection": list(verdict.injection),
        "on_judge_error": "missing",
    }
    orders = {"first": verdict.first_shown, "second": verdict.second_shown}
    return [
        Judgment(**common, **_of_sample(sample), shown=shown, counted=sample.score)
        for shown, sample in orders.items()
    ]


def _common(question: JudgeQuestion, trial: Mapping[str, Any]) -> dict[str, Any]:
    named = ("run_id", "trial_id", "attempt", "grading", "suite", "task_id", "arm")
    return {
        **{name: trial[name] for name in named},
        "at": datetime.now(UTC),
        "rubric": rubric_version(question),
        "panel": question.panel.rule if question.panel else None,
        "scale": question.scale,
        "threshold": question.threshold,
    }


def _of_sample(sample: Sample) -> dict[str, Any]:
    return {
        "judge": sample.judge,
        "judge_used": sample.used,
        "sample": sample.number,
        "prompt_hash": sample.prompt_hash,
        "score": sample.score,
        "problem": sample.problem,
        "detail": sample.detail,
        "reasoning": sample.reasoning,
        "reply": sample.reply,
        "cached": sample.cached,
        "tries": sample.tries,
        "duration_s": sample.duration_s,
        "input_tokens": sample.input_tokens,
        "output_tokens": sample.output_tokens,
        "cost_usd": sample.cost_usd,
    }
