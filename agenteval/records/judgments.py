"""What judges said of trials, and what people said: the rows of `judgments` and `labels`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from agenteval.records.rows import Count, Dollars, Row, Seconds, Tokens
from agenteval.records.schema import SCHEMA_VERSION

OnJudgeError = Literal["zero", "missing"]
PanelRule = Literal["majority", "mean", "median"]
Scale = Literal["0-1", "0-10", "0-100"]


def _c(meaning: str, default: Any = None) -> Any:
    return Field(default, description=meaning)


class JudgmentRow(Row):
    """One sample: one question put to one judge about one finished attempt."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    attempt: int = _c("Attempt of the trial.", 1)
    grading: int = _c("Number of the grading it was made in; the newest one of a rejudging.", 1)
    judging: str = Field(description="`grading`, or the id of the rejudging that it belongs to.")
    at: datetime = Field(description="When it was written down (UTC).")
    suite: str = Field(description="Name of the suite.")
    task_id: str = Field(description="Task.")
    arm: str = Field(description="Label of the arm; the judge was not told.")
    check: str | None = _c("Name of the check; NULL in a rejudging.")
    rubric: str = Field(description="Version of the rubric: hash of its text, scale and prompt.")
    rubric_name: str | None = _c("What people call the rubric.")
    judge: str = Field(description="Model that was asked to judge, provider/name.")
    judge_used: str | None = _c("Model that answered, as its provider says.")
    panel: str | None = _c("Rule that joins the judges of a panel; NULL for a single judge.")
    versus: str | None = _c("Trial it was compared with; then the score is 1 won, 0.5 tie, 0 lost.")
    shown: str | None = _c("Of two: whether the judge read this one first or second.")
    sample: int = _c("Number of the sample of this judge, from 1.", 1)
    scale: str = _c("Scale that the judge was told: 0-1, 0-10 or 0-100.", "0-1")
    threshold: float = _c("Score from which on the work passes.", 0.7)
    prompt_hash: str = Field(description="Hash of all that the judge read, delimiters aside.")
    score: float | None = _c("Score in the reply, 0 to 1; NULL when it holds none.")
    counted: float | None = _c(
        "What the sample counts as: a reply without a score is 0, a missing sample NULL."
    )
    problem: str | None = _c("Why there is no score, in one word; NULL when there is one.")
    detail: str | None = _c("The same in a sentence.")
    reasoning: str | None = _c("Reasons in the reply.")
    reply: str | None = _c("The reply as it came, capped; NULL when none came.")
    injection: list[str] = _c("Signs that the work tries to instruct the judge.", [])
    self_judged: bool | None = _c("Whether judge and candidate are one model.")
    on_judge_error: str = _c("What a reply without a score counts as: zero or missing.", "zero")
    cached: bool = _c("Whether an earlier reply to the same question was taken.", False)  # noqa: FBT003
    tries: Count = _c("Requests that were sent.")
    duration_s: Seconds = _c("Time from the first request to the last reply.")
    input_tokens: Tokens = _c("Input tokens; 0 when cached.")
    output_tokens: Tokens = _c("Output tokens; 0 when cached.")
    cost_usd: Dollars = _c("Cost; 0 when cached, NULL when no price is known.")


class LabelRow(Row):
    """What one person said of one trial."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    at: datetime = Field(description="When it was said (UTC).")
    annotator: str = Field(pattern=r"\S", description="Who said it.")
    passed: bool | None = _c("Whether the work passes, in this person's eyes.")
    score: float | None = Field(
        None, ge=0, le=1, description="Score in the same eyes, 0 to 1, where one was given."
    )
    rubric: str | None = _c("Version of the rubric it was labelled by; NULL for any.")
    note: str | None = _c("Why.")


class Judgment(JudgmentRow):
    """One line of a judgments.jsonl."""

    schema_version: int = SCHEMA_VERSION


class Label(LabelRow):
    """One line of labels.jsonl: a label, or that taken back."""

    schema_version: int = SCHEMA_VERSION
    undone: bool = Field(False, description="Whether this person's label is taken back.")

    @property
    def target(self) -> tuple[str, str, str, str | None]:
        """What a person can say one thing about: saying it again replaces what was said."""
        return self.run_id, self.trial_id, self.annotator, self.rubric
