"""The kinds of check a task may name, and their parameters."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from agenteval.records.check_spec import CheckSpec, compiled
from agenteval.records.checks_answer import (
    AnswerContainsCheck,
    AnswerEqualsCheck,
    AnswerJsonCheck,
    AnswerMatchesCheck,
)
from agenteval.records.checks_change import (
    FilesChangedCheck,
    LintCheck,
    NoShortcutsCheck,
    ProtectedCheck,
)
from agenteval.records.checks_files import (
    FileAbsentCheck,
    FileContainsCheck,
    FileEqualsCheck,
    FileExistsCheck,
    FileMatchesCheck,
    MarkerAbsentCheck,
)
from agenteval.records.checks_metered import (
    LoadsCheck,
    MaxCostCheck,
    MaxDurationCheck,
    MaxTokensCheck,
    MaxToolCallsCheck,
    MaxTurnsCheck,
    ToolNotUsedCheck,
    ToolUsedCheck,
    UsedCheck,
)
from agenteval.records.judge import JudgeQuestion
from agenteval.records.strict import all_inside, inside


class CommandCheck(CheckSpec):
    """Passes when a shell command, run in the grading copy, ends as expected."""

    kind: Literal["command"] = "command"
    sources: ClassVar[frozenset[str]] = frozenset({"copy"})

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
    sources: ClassVar[frozenset[str]] = frozenset({"copy"})

    files: list[str] = Field(
        default_factory=list,
        description="Hidden test files; all hidden files that are named like tests when left out.",
    )
    ignored: list[str] = Field(
        default_factory=list,
        description="Ids of tests that may come out in any way: flaky ones, or some that fail with the reference too.",
    )

    _files_inside = field_validator("files")(all_inside)


class SuiteCheck(RecordedCheck):
    """Passes when the project's own tests, as they were at the start, pass for every recorded id."""

    kind: Literal["suite"] = "suite"
    sources: ClassVar[frozenset[str]] = frozenset({"copy"})


class JudgeCheck(CheckSpec, JudgeQuestion):
    """Passes when a model that reads task, rubric and work scores it at least `threshold`."""

    kind: Literal["judge"] = "judge"
    optional: bool = Field(
        False,
        description="Leave it out where no judge is named, on the command line or in suite.toml; with one it is another task to compare.",
    )
    sources: ClassVar[frozenset[str]] = frozenset({"answer", "change"})


AnyCheck = Annotated[
    CommandCheck
    | HiddenTestsCheck
    | SuiteCheck
    | LintCheck
    | FileExistsCheck
    | FileAbsentCheck
    | FileContainsCheck
    | FileMatchesCheck
    | FileEqualsCheck
    | FilesChangedCheck
    | ProtectedCheck
    | NoShortcutsCheck
    | MarkerAbsentCheck
    | AnswerContainsCheck
    | AnswerMatchesCheck
    | AnswerEqualsCheck
    | AnswerJsonCheck
    | ToolUsedCheck
    | ToolNotUsedCheck
    | MaxTurnsCheck
    | MaxToolCallsCheck
    | MaxCostCheck
    | MaxDurationCheck
    | MaxTokensCheck
    | LoadsCheck
    | UsedCheck
    | JudgeCheck,
    Field(discriminator="kind"),
]

CHECK_KINDS: dict[str, type[CheckSpec]] = {
    "command": CommandCheck,
    "hidden-tests": HiddenTestsCheck,
    "suite": SuiteCheck,
    "lint": LintCheck,
    "file-exists": FileExistsCheck,
    "file-absent": FileAbsentCheck,
    "file-contains": FileContainsCheck,
    "file-matches": FileMatchesCheck,
    "file-equals": FileEqualsCheck,
    "files-changed": FilesChangedCheck,
    "protected": ProtectedCheck,
    "no-shortcuts": NoShortcutsCheck,
    "marker-absent": MarkerAbsentCheck,
    "answer-contains": AnswerContainsCheck,
    "answer-matches": AnswerMatchesCheck,
    "answer-equals": AnswerEqualsCheck,
    "answer-json": AnswerJsonCheck,
    "tool-used": ToolUsedCheck,
    "tool-not-used": ToolNotUsedCheck,
    "max-turns": MaxTurnsCheck,
    "max-tool-calls": MaxToolCallsCheck,
    "max-cost-usd": MaxCostCheck,
    "max-duration-s": MaxDurationCheck,
    "max-tokens": MaxTokensCheck,
    "loads": LoadsCheck,
    "used": UsedCheck,
    "judge": JudgeCheck,
}


def check_label(check: CheckSpec, position: int) -> str:
    """Name of a check in tables: its own, else its kind and target."""
    if check.name:
        return check.name
    kind = getattr(check, "kind", "check")
    path = getattr(check, "path", None)
    return f"{kind} {PurePosixPath(path).name}" if path else f"{kind} {position}"
