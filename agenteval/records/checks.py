"""The kinds of check a task may name, and their parameters."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from agenteval.records.strict import Strict, all_inside, inside


class CheckSpec(Strict):
    """What every check has: a name unique within its task, and a weight in the score."""

    name: str = Field("", description="Label in tables and reports; the kind when left out.")
    weight: float = Field(
        1.0, gt=0, description="Share in the trial's score, relative to the others."
    )


class CommandCheck(CheckSpec):
    """Passes when a shell command, run in the grading copy, ends as expected."""

    kind: Literal["command"] = "command"
    run: str = Field(
        min_length=1, description="Shell command, run with `sh -c` in the grading copy."
    )
    expect_exit: int = Field(0, ge=0, le=255, description="Exit code that passes.")
    stdout_contains: str | None = Field(None, description="Text that standard output must hold.")
    stdout_matches: str | None = Field(
        None, description="Regular expression that must be found in standard output."
    )
    timeout_s: float = Field(120.0, gt=0, description="Seconds before the check gives no verdict.")
    env: dict[str, str] = Field(
        default_factory=dict, description="Variables added for this command."
    )
    cwd: str = Field(".", description="Folder below the grading copy to run in.")

    _cwd_inside = field_validator("cwd")(inside)

    @field_validator("stdout_matches")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return None if value is None else compiled(value)


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


class FileContainsCheck(TextCheck):
    """Passes when a file of the grading copy holds (or, negated, lacks) a text."""

    kind: Literal["file-contains"] = "file-contains"
    path: str = Field(
        min_length=1, description="File below the grading copy; links are never followed outside."
    )

    _path_inside = field_validator("path")(inside)


class AnswerContainsCheck(TextCheck):
    """Passes when the agent's final answer holds (or, negated, lacks) a text."""

    kind: Literal["answer-contains"] = "answer-contains"


class RecordedCheck(CheckSpec):
    """What the checks on single tests share: a command whose junit file must show recorded ids.

    In `run` and in the values of `env`, `{files}` becomes the test files, quoted and relative to
    `cwd`, and `{junit}` the path that the results must be written to. `{node_reporter}` is a
    reporter for `node --test` that writes them there (Node's own hides some failures).
    """

    run: str | None = Field(
        None,
        min_length=1,
        description="Shell command that runs the tests; pytest or `node --test`, by the files' endings, when left out.",
    )
    junit: str | None = Field(
        None,
        min_length=1,
        description="Path below the grading copy that the command writes, if it cannot be told one: {junit} is a new random path outside.",
    )
    timeout_s: float = Field(300.0, gt=0, description="Seconds before the check gives no verdict.")
    env: dict[str, str] = Field(
        default_factory=dict, description="Variables added for this command."
    )
    cwd: str = Field(".", description="Folder below the grading copy to run in.")

    @field_validator("junit", "cwd")
    @classmethod
    def _inside(cls, value: str | None) -> str | None:
        return None if value is None else inside(value)

    @model_validator(mode="after")
    def _says_where(self) -> RecordedCheck:
        told = any("{junit}" in text for text in (self.run or "", *self.env.values()))
        if self.run is not None and self.junit is None and not told:
            raise ValueError("has no {junit}, so the command cannot know where results must go")
        return self


class HiddenTestsCheck(RecordedCheck):
    """Passes when the hidden tests give exactly the recorded ids, every one of them passed."""

    kind: Literal["hidden-tests"] = "hidden-tests"
    files: list[str] = Field(
        default_factory=list,
        description="Hidden test files; all hidden files that are named like tests when left out.",
    )

    _files_inside = field_validator("files")(all_inside)


class SuiteCheck(RecordedCheck):
    """Passes when the project's own tests, as they were at the start, pass for every recorded id."""

    kind: Literal["suite"] = "suite"


AnyCheck = Annotated[
    CommandCheck | FileContainsCheck | AnswerContainsCheck | HiddenTestsCheck | SuiteCheck,
    Field(discriminator="kind"),
]

CHECK_KINDS: dict[str, type[CheckSpec]] = {
    "command": CommandCheck,
    "file-contains": FileContainsCheck,
    "answer-contains": AnswerContainsCheck,
    "hidden-tests": HiddenTestsCheck,
    "suite": SuiteCheck,
}


def compiled(pattern: str) -> str:
    """Return `pattern` if it is a regular expression, else raise ValueError."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return pattern


def check_label(check: CheckSpec, position: int) -> str:
    """Name of a check in tables: its own, else its kind and target."""
    if check.name:
        return check.name
    kind = getattr(check, "kind", "check")
    path = getattr(check, "path", None)
    return f"{kind} {PurePosixPath(path).name}" if path else f"{kind} {position}"
