"""From samples to a verdict: median of samples, judges of a panel joined, and what it hangs on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from agenteval.judge.asking import Asking, Sample
from agenteval.judge.canary import injection_signs
from agenteval.judge.parse import parse_score
from agenteval.judge.prompt import Work, judge_prompt, rubric_version
from agenteval.records import JudgeQuestion, OnJudgeError


@dataclass(frozen=True)
class Judged:
    """What judges made of one piece of work.

    Attributes
    ----------
    question
        What they were asked.
    samples
        All replies, and the lack of some.
    score
        0 to 1: the median of samples, joined by the panel's rule; of a majority, the share of judges
        that pass it. None without a verdict.
    passed
        Whether the score reaches the threshold; None without a verdict.
    error_class
        `judge_no_score` when replies came and none held a score, `judge_provider_down` when too few
        came to tell; None with a verdict.
    opinions
        Judge to its median; None for one that gave no reply.
    without
        Judge to what the panel says without it; empty for a single judge.
    injection
        Signs that the work speaks to its judge.
    self_judged
        Judges that are the candidate's own model; None when that model is unknown.
    on_judge_error
        What a reply without a score counts as.
    """

    question: JudgeQuestion
    samples: tuple[Sample, ...]
    score: float | None
    passed: bool | None
    error_class: str | None = None
    opinions: Mapping[str, float | None] = field(default_factory=dict)
    without: Mapping[str, bool | None] = field(default_factory=dict)
    injection: tuple[str, ...] = ()
    self_judged: tuple[str, ...] | None = None
    on_judge_error: OnJudgeError = "zero"

    @property
    def rubric(self) -> str:
        """Version of the rubric."""
        return rubric_version(self.question)

    @property
    def hangs_on(self) -> tuple[str, ...]:
        """Judges without whom the panel's verdict would be another."""
        return tuple(judge for judge, passed in self.without.items() if passed != self.passed)

    @property
    def cost_usd(self) -> float | None:
        """Dollars spent on it; None when any reply's price is unknown."""
        costs = [sample.cost_usd for sample in self.samples if sample.replied]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None

    @property
    def detail(self) -> str:
        """One line for people."""
        return "; ".join(_told(self))


def judge_work(
    work: Work,
    question: JudgeQuestion,
    asking: Asking,
    *,
    on_judge_error: OnJudgeError = "zero",
    candidate: str | None = None,
) -> Judged:
    """Have one piece of work judged.

    A sample whose provider failed is missing. A reply without a score counts as zero, since the work
    itself can cause it; `missing` leaves it out instead, but what has no scored reply at all never
    passes either way. Where judges of a panel are missing, the verdict stands only if it would be the
    same whatever they had said.

    Parameters
    ----------
    question
        Its judges must be named.
    candidate
        Model that made the work; never told to the judge.
    """
    prompt = judge_prompt(work, question)
    samples = {
        judge: asking.samples(
            prompt, judge, question.samples, lambda text: parse_score(text, question.scale)
        )
        for judge in question.judges
    }
    opinions = {judge: _opinion(own, on_judge_error) for judge, own in samples.items()}
    score, passed, error_class = _verdict(samples, opinions, question)
    own = None if candidate is None else tuple(j for j in samples if same_model(j, candidate))
    return Judged(
        question,
        tuple(sample for found in samples.values() for sample in found),
        score,
        passed,
        error_class,
        opinions,
        _without(opinions, question) if error_class is None and len(opinions) > 1 else {},
        injection_signs(*work.texts),
        own,
        on_judge_error,
    )


def counted(sample: Sample, on_judge_error: OnJudgeError) -> float | None:
    """What a sample counts as in the median; None when it is left out."""
    if sample.score is not None:
        return sample.score
    return 0.0 if sample.replied and on_judge_error == "zero" else None


def same_model(one: str, other: str) -> bool:
    """Whether two names mean one model, whoever provides it.

    >>> same_model("openai/gpt-5", "azure/GPT-5"), same_model("openai/gpt-5", "openai/gpt-5-mini")
    (True, False)
    """
    first, second = (name.strip().casefold().rpartition("/")[2] for name in (one, other))
    return bool(first) and first == second


def _opinion(samples: Sequence[Sample], on_judge_error: OnJudgeError) -> float | None:
    values = [counted(sample, on_judge_error) for sample in samples]
    known = [value for value in values if value is not None]
    if known:
        return median(known)
    return 0.0 if any(sample.replied for sample in samples) else None


def _verdict(
    samples: Mapping[str, Sequence[Sample]],
    opinions: Mapping[str, float | None],
    question: JudgeQuestion,
) -> tuple[float | None, bool | None, str | None]:
    every = [sample for own in samples.values() for sample in own]
    if not any(sample.replied for sample in every):
        return None, None, "judge_provider_down"
    if not any(sample.score is not None for sample in every):
        return None, None, "judge_no_score"
    # the worst and the best that the missing judges could have said
    worst, best = (
        _join([missing if value is None else value for value in opinions.values()], question)[1]
        for missing in (0.0, 1.0)
    )
    if worst != best:
        return None, None, "judge_provider_down"
    score, _ = _join([value for value in opinions.values() if value is not None], question)
    return score, worst, None


def _join(values: Sequence[float], question: JudgeQuestion) -> tuple[float, bool]:
    """Score and verdict of some judges together; a tie is no majority."""
    rule = "mean" if question.panel is None else question.panel.rule
    if rule == "majority":
        votes = fmean(_reaches(value, question) for value in values)
        return votes, votes > 0.5
    score = median(values) if rule == "median" else fmean(values)
    return score, _reaches(score, question)


def _reaches(score: float, question: JudgeQuestion) -> bool:
    return round(score, 9) >= question.threshold


def _without(
    opinions: Mapping[str, float | None], question: JudgeQuestion
) -> dict[str, bool | None]:
    found: dict[str, bool | None] = {}
    for judge in opinions:
        rest = [v for name, v in opinions.items() if name != judge and v is not None]
        found[judge] = _join(rest, question)[1] if rest else None
    return found


def _told(judged: Judged) -> list[str]:
    question, replies = judged.question, [s for s in judged.samples if s.replied]
    unscored = sum(sample.score is None for sample in replies)
    missing = len(judged.samples) - len(replies)
    parts = []
    if judged.score is not None:
        rule = question.panel.rule if question.panel else "median"
        asked = f"{len(question.judges)} judges" if question.panel else question.judges[0]
        parts.append(
            f"score {judged.score:.2f} ({rule} of {len(judged.samples)} replies of {asked}), threshold {question.threshold:g}"
        )
    elif judged.error_class == "judge_no_score":
        parts.append(f"no reply of {', '.join(question.judges)} holds a score")
    else:
        failed = next((s.detail for s in judged.samples if not s.replied), None)
        parts.append(failed or "too few judges gave a reply")
    if unscored and judged.score is not None:
        counts = "counts as 0" if judged.on_judge_error == "zero" else "is left out"
        parts.append(f"{unscored} without a score {counts}")
    if missing and judged.score is not None:
        parts.append(f"{missing} missing, since the provider failed")
    if judged.on_judge_error == "missing":
        parts.append("on_judge_error = missing: replies without a score do not count as 0")
    if judged.hangs_on:
        parts.append(f"hangs on {', '.join(judged.hangs_on)}")
    if judged.injection:
        parts.append(f"the work speaks to its judge: {', '.join(judged.injection)}")
    if judged.self_judged:
        parts.append(f"{', '.join(judged.self_judged)} judges its own work")
    return parts
