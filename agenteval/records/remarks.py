"""What people add to a store: tags on trials, and their looks at the holdout."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from pydantic import Field, ValidationError

from agenteval.errors import RecordError
from agenteval.records.exclusions import NOT_BLANK
from agenteval.records.rows import Row
from agenteval.records.schema import SCHEMA_VERSION, upgrade

HOLDOUT = "holdout"
# in `DataFrame.attrs` of a trial table whose holdout was asked for: how often it was looked at
HOLDOUT_LOOKS = "holdout_looks"
Remark = TypeVar("Remark", bound=Row)


class Tag(Row):
    """One line of tags.jsonl: what somebody saw in a trial, or that taken back."""

    schema_version: int = SCHEMA_VERSION
    at: datetime = Field(description="When it was said (UTC).")
    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    text: str = Field(pattern=NOT_BLANK, description="What was seen.")
    step: int | None = Field(None, description="Step it is about, as `seq` in events.")
    undone: bool = Field(False, description="Whether an earlier equal tag is taken back.")

    @property
    def target(self) -> tuple[str, str, str, int | None]:
        """What makes two tags the same."""
        return self.run_id, self.trial_id, self.text, self.step


class Look(Row):
    """One line of looks.jsonl: the outcomes of holdout tasks were looked at."""

    schema_version: int = SCHEMA_VERSION
    at: datetime = Field(description="When (UTC).")
    suites: list[str] = Field(description="Suites of the tasks looked at.")
    runs: list[str] = Field(description="Runs looked at.")
    tasks: int = Field(description="Holdout tasks looked at.")
    trials: int = Field(description="Trials looked at.")


def read_remark(model: type[Remark], line: dict[str, object], where: str) -> Remark:
    """Read one decoded line as a tag or a look.

    Raises
    ------
    RecordError
        When it is none, or one of a newer agenteval.
    """
    try:
        return model.model_validate(upgrade(line, where))
    except ValidationError as error:
        first = error.errors()[0]
        place = f"{where}, key {'.'.join(map(str, first['loc']))}: {first['msg']}"
        what = f"A line is no {model.__name__.lower()}"
        raise RecordError(what, place, "correct the line, or remove it") from error
