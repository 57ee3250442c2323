"""What every kind of check has, and what a score may come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from pydantic import Field, field_validator, model_validator

from agenteval.records.strict import Strict

# The closed list: what a check may look at, and who wrote it. A value that an agent gives about
# itself (`reported_*`, usage that nobody metered) is in none of them.
SCORE_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "change": "the frozen change and what lay in the workspace, written by the engine",
        "copy": "the grading copy: start, change and hidden files laid out by the engine, and what checks wrote there",
        "answer": "the final answer, as the engine stored it",
        "handed": "what the variant handed the agent before it ran, written by the engine",
        "metered": "records of the engine's clock and of the model gateway",
    }
)
TREE_SOURCES = frozenset({"change", "copy"})


class CheckSpec(Strict):
    """What every check has: a name unique within its task, and a weight in the score.

    `sources` names those of `SCORE_SOURCES` that the kind may look at; it is handed nothing else.
    """

    sources: ClassVar[frozenset[str]] = frozenset()

    name: str = Field("", description="Label in tables and reports; the kind when left out.")
    weight: float = Field(
        1.0, gt=0, description="Share in the trial's score, relative to the others."
    )


class TextCheck(CheckSpec):
    """What the checks on text share: exactly one of `text` and `pattern`."""

    text: str | None = Field(None, description="Literal text to find.")
    pattern: str | None = Field(None, description="Regular expression to find (multi-line mode).")
    ignore_case: bool = Field(False, description="Compare without regard to case.")
    negate: bool = Field(False, description="Pass when it is absent.")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return None if value is None else compiled(value)

    @model_validator(mode="after")
    def _exactly_one(self) -> TextCheck:
        if (self.text is None) == (self.pattern is None):
            raise ValueError("needs exactly one of `text` and `pattern`")
        if not (self.text or self.pattern):
            raise ValueError("an empty `text` or `pattern` is found everywhere and checks nothing")
        return self


class PatternCheck(CheckSpec):
    """What the checks on a regular expression share."""

    pattern: str = Field(
        min_length=1, description="Regular expression that must be found (multi-line mode)."
    )
    ignore_case: bool = Field(False, description="Compare without regard to case.")
    negate: bool = Field(False, description="Pass when it is not found.")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return compiled(value)


def compiled(pattern: str) -> str:
    """Return `pattern` if it is a regular expression, else raise ValueError."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return pattern


def all_compiled(patterns: list[str]) -> list[str]:
    """Apply `compiled` to every pattern; an empty one finds every line and is refused."""
    if not all(patterns):
        raise ValueError("an empty pattern is found in every line and checks nothing")
    return [compiled(pattern) for pattern in patterns]
