"""Checks on what the agent changed: which files, how much, and how."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from agenteval.records.check_spec import CheckSpec, all_compiled, compiled
from agenteval.records.strict import all_inside, inside

ShortcutFamily = Literal[
    "type-ignores",
    "lint-ignores",
    "skipped-tests",
    "deleted-tests",
    "forced-success",
    "no-coverage",
    "weakened-rules",
    "lowered-floors",
]


class LintCheck(CheckSpec):
    """Counts a linter's findings in the files that the agent added or changed.

    They are a mistake, counted in the column `lint_failures`; the trial fails by them only where
    `failing` asks for it.
    """

    kind: Literal["lint"] = "lint"
    sources: ClassVar[frozenset[str]] = frozenset({"change", "copy"})

    run: str = Field(
        min_length=1,
        description="Shell command; the files are put in the place of {files}, else added at its end, quoted.",
    )
    files: str = Field(
        "", description="Regular expression that a file's path must match; every file by default."
    )
    failing: bool = Field(False, description="Whether findings fail the check.")
    timeout_s: float = Field(120.0, gt=0, description="Seconds before the check gives no verdict.")
    env: dict[str, str] = Field(
        default_factory=dict, description="Variables added for this command."
    )
    cwd: str = Field(".", description="Folder below the grading copy to run in.")

    _cwd_inside = field_validator("cwd")(inside)
    _files_compile = field_validator("files")(compiled)


class FilesChangedCheck(CheckSpec):
    """Passes when the change stays within bounds; at least one of them must be given."""

    kind: Literal["files-changed"] = "files-changed"
    sources: ClassVar[frozenset[str]] = frozenset({"change"})

    only: list[str] = Field(
        default_factory=list, description="Globs; every changed file must match one of them."
    )
    must: list[str] = Field(
        default_factory=list, description="Globs; each must match some changed file."
    )
    max_files: int | None = Field(None, ge=0, description="Most files the change may touch.")
    max_lines: int | None = Field(
        None, ge=0, description="Most lines the change may add and remove together."
    )

    _globs_inside = field_validator("only", "must")(all_inside)

    @model_validator(mode="after")
    def _some_bound(self) -> FilesChangedCheck:
        if not (self.only or self.must) and self.max_files is None and self.max_lines is None:
            raise ValueError("needs at least one of `only`, `must`, `max_files` and `max_lines`")
        return self


class ProtectedCheck(CheckSpec):
    """Passes when files come out byte-identical, by hash; restoring the same bytes is no touch."""

    kind: Literal["protected"] = "protected"
    sources: ClassVar[frozenset[str]] = frozenset({"change"})

    globs: list[str] = Field(min_length=1, description="Globs of the files.")
    additions: bool = Field(
        False, description="Whether new files that match count as a touch as well."
    )

    _globs_inside = field_validator("globs")(all_inside)


class NoShortcutsCheck(CheckSpec):
    """Passes when no line that the change adds silences a tool, skips a test or lowers a floor."""

    kind: Literal["no-shortcuts"] = "no-shortcuts"
    sources: ClassVar[frozenset[str]] = frozenset({"change"})

    families: list[ShortcutFamily] = Field(
        default_factory=list, description="Families that count; all of them when left out."
    )
    patterns: list[str] = Field(
        default_factory=list,
        description="Further regular expressions that no added line may hold.",
    )

    _patterns_compile = field_validator("patterns")(all_compiled)
