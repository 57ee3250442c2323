"""What a reader of a foreign format hands to the writer, and how it reports bad records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from agenteval.errors import ForeignFormatError
from agenteval.records import Arm, Outcome


@dataclass(frozen=True)
class CheckDraft:
    """One graded fact of a trial; its score is 1 when it passed. A `kind` is one of ours."""

    name: str
    passed: bool | None
    score: float
    error_class: str | None = None
    detail: str | None = None
    kind: str | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class TaskDraft:
    """A task as far as the results tell; `contents` is what its digest is made of."""

    task_id: str
    contents: tuple[str, ...] = ()
    prompt: str | None = None
    tags: tuple[str, ...] = ()
    pass_policy: str | None = None


@dataclass(frozen=True)
class TrialDraft:
    """One result; `values` are further columns of an attempt, and what is not there is NULL."""

    task: TaskDraft
    repeat: int
    outcome: Outcome
    checks: tuple[CheckDraft, ...]
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunDraft:
    """One run of another tool.

    Attributes
    ----------
    name
        Proposed id of the run.
    origin
        Hash of its contents: the same results again are the same run, whatever they are called.
    recorded
        Results in the file, bad ones included.
    """

    name: str
    origin: str
    file: Path
    suite: str
    arm: Arm
    created_at: datetime
    trials: tuple[TrialDraft, ...]
    recorded: int
    concurrency: int | None = None


@dataclass(frozen=True)
class Skipped:
    """A record that was left out; `record` counts from 1 and is None for a whole file."""

    file: str
    record: int | None
    field: str
    reason: str


class Malformed(ValueError):
    """A record does not have the format's shape."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field, self.reason = field, reason


@dataclass
class Reading:
    """One import in progress: what the caller said, and what was met on the way.

    Attributes
    ----------
    agent, model, suite
        What the caller knows better than the files; None leaves it to the reader.
    """

    skip_bad: bool = False
    agent: str | None = None
    model: str | None = None
    suite: str | None = None
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def bad(self, file: Path, record: int | None, problem: Malformed) -> None:
        """Leave a record out, or refuse the whole import.

        Raises
        ------
        ForeignFormatError
            Names file, record and field, unless bad records are to be skipped.
        """
        if not self.skip_bad:
            place = [str(file), *([f"record {record}"] if record is not None else [])]
            raise ForeignFormatError(
                "The results cannot be imported; nothing was written",
                f"{', '.join(place)}, field {problem.field}: {problem.reason}",
                "mend the file, or import the good records with --skip-bad",
            )
        self.skipped.append(Skipped(str(file), record, problem.field, problem.reason))


Reader = Callable[[Path, Reading], list[RunDraft]]
