"""What people leave out of every rate afterwards: voided trials and runs, quarantined tasks."""

from __future__ import annotations

import tomllib
from datetime import date, datetime
from pathlib import Path

from pydantic import Field, ValidationError

from agenteval.errors import RecordError
from agenteval.records.rows import Row
from agenteval.records.schema import SCHEMA_VERSION
from agenteval.records.strict import Strict

NOT_BLANK = r"\S"


class Void(Row):
    """One line of voids.jsonl: a trial or a whole run voided, or that taken back."""

    schema_version: int = SCHEMA_VERSION
    at: datetime = Field(description="When it was said (UTC).")
    run_id: str = Field(description="Run.")
    trial_id: str | None = Field(None, description="Trial; the whole run when there is none.")
    reason: str = Field(pattern=NOT_BLANK, description="Why.")
    undone: bool = Field(False, description="Whether an earlier line about the same is taken back.")

    @property
    def target(self) -> tuple[str, str | None]:
        """What it is about."""
        return self.run_id, self.trial_id


class QuarantinedTask(Strict):
    """One [[task]] of a quarantine.toml."""

    id: str = Field(min_length=1, description="Id of the task.")
    since: date = Field(description="Day since when it is left out.")
    reason: str = Field(pattern=NOT_BLANK, description="Why.")
    suite: str | None = Field(
        None,
        min_length=1,
        description="Only in the suite of this name; in every one when left out.",
    )

    @property
    def told(self) -> str:
        """The reason with its day, in one line."""
        return f"quarantined since {self.since.isoformat()}: {' '.join(self.reason.split())}"


class Quarantine(Strict):
    """A quarantine.toml."""

    task: list[QuarantinedTask] = Field(default_factory=list)


def read_quarantine(path: Path) -> tuple[QuarantinedTask, ...]:
    """Read a quarantine.toml; empty when there is none.

    Raises
    ------
    RecordError
        When it is no TOML, has an unknown key, lacks a date or a reason, or names a task twice.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(
            "The quarantine cannot be read", f"{path}: {error}", "save it as UTF-8 text"
        ) from error
    return parse_quarantine(text, str(path))


def parse_quarantine(text: str, where: str) -> tuple[QuarantinedTask, ...]:
    """Read the text of a quarantine.toml; `where` names it in errors, which are those above."""
    example = 'write entries as [[task]] with id = "...", since = 2026-01-31 and reason = "..."'
    try:
        found = Quarantine.model_validate(tomllib.loads(text), strict=True)
    except tomllib.TOMLDecodeError as error:
        raise RecordError(
            "The quarantine is not valid TOML", f"{where}: {error}", example
        ) from error
    except ValidationError as error:
        raise RecordError(
            "The quarantine is not valid", f"{where}, {_first(error)}", example
        ) from error
    named = [(task.id, task.suite) for task in found.task]
    double = next((task for task in named if named.count(task) > 1), None)
    if double is not None:
        raise RecordError(
            f"The task {double[0]!r} is quarantined twice", where, "keep one of the two entries"
        )
    return tuple(found.task)


def _first(error: ValidationError) -> str:
    found = error.errors()
    # a misspelt key is also a missing one: say what was written
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
    return f"key {'.'.join(map(str, first['loc']))}: {first['msg']}"
