"""Checks on the agent's final answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from agenteval.records.check_spec import CheckSpec, PatternCheck, TextCheck


class AnswerContainsCheck(TextCheck):
    """Passes when the agent's final answer holds (or, negated, lacks) a text."""

    kind: Literal["answer-contains"] = "answer-contains"
    sources: ClassVar[frozenset[str]] = frozenset({"answer"})


class AnswerMatchesCheck(PatternCheck):
    """Passes when a regular expression is found (or, negated, is not found) in the final answer."""

    kind: Literal["answer-matches"] = "answer-matches"
    sources: ClassVar[frozenset[str]] = frozenset({"answer"})


class AnswerEqualsCheck(CheckSpec):
    """Passes when the final answer is (or, negated, is not) a text; spaces around either do not count."""

    kind: Literal["answer-equals"] = "answer-equals"
    sources: ClassVar[frozenset[str]] = frozenset({"answer"})

    text: str = Field(min_length=1, description="The whole answer.")
    ignore_case: bool = Field(False, description="Compare without regard to case.")
    negate: bool = Field(False, description="Pass when it is another answer.")


class AnswerJsonCheck(CheckSpec):
    """Passes when the final answer is JSON: the whole of it, else its first fenced block, else its first object or list."""

    kind: Literal["answer-json"] = "answer-json"
    sources: ClassVar[frozenset[str]] = frozenset({"answer"})

    require_keys: list[str] = Field(
        default_factory=list, description="Keys that the object must have at its top."
    )
    json_schema: dict[str, Any] | None = Field(
        None, alias="schema", description="JSON schema (draft 2020-12) that it must satisfy."
    )
    negate: bool = Field(
        False, description="Pass when it is JSON and lacks a key or breaks the schema."
    )

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None:
            _check_schema(value)
        return value

    @model_validator(mode="after")
    def _negates_something(self) -> AnswerJsonCheck:
        if self.negate and not self.require_keys and self.json_schema is None:
            raise ValueError("needs `require_keys` or `schema` where it has `negate`")
        return self


def _check_schema(value: dict[str, Any]) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    foreign = next((ref for ref in _references(value) if not ref.startswith("#")), None)
    if foreign is not None:
        raise ValueError(f"refers to {foreign!r}, and nothing outside of it is read")
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        raise ValueError(f"is no JSON schema: {error.message}") from None


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("$ref", "$dynamicRef") and isinstance(inner, str):
                yield inner
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
