"""A baseline: what a run came to by task and dimension, in one small file fit to commit."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from agenteval.errors import RecordError
from agenteval.records.dimension import Dimension
from agenteval.records.durable import replace_file
from agenteval.records.rows import Row
from agenteval.records.schema import SCHEMA_VERSION, upgrade

RECORD = "baseline"


class TaskValue(Row):
    """One dimension on one task.

    `n` trials have evidence; `mean` is their mean, `worst` the value of the worst of them.
    """

    n: int = Field(ge=1)
    mean: float
    worst: float


class TaskRecord(Row):
    """One task of one arm: how often it ran and passed, and its value on every dimension.

    A dimension without evidence is not in `values`. `task_digest` is None when the results of
    another tool do not tell it.
    """

    suite: str
    task_id: str
    task_digest: str | None = None
    kind: str = "task"
    pass_policy: Literal["all", "any", "majority"] = "all"
    trials: int = Field(ge=0, description="Trials that count.")
    passes: int = Field(ge=0)
    errors: int = Field(0, ge=0, description="Of those that count, ended by a limit or a crash.")
    left_out: int = Field(0, ge=0, description="Trials that do not count.")
    values: dict[str, TaskValue] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        if self.passes + self.errors > self.trials:
            raise ValueError("holds more passes and errors than trials")
        return self


class ArmRecord(Row):
    """One arm with its tasks."""

    arm: str
    arm_digest: str | None = None
    tasks: list[TaskRecord] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_task_once(self) -> Self:
        names = [(task.suite, task.task_id) for task in self.tasks]
        if len(set(names)) < len(names):
            raise ValueError("holds a task twice")
        return self


class Baseline(Row):
    """What a gate compares with: results by arm, task and dimension, with digests."""

    schema_version: int = SCHEMA_VERSION
    record: Literal["baseline"] = "baseline"
    name: str
    saved_at: datetime
    agenteval_version: str | None = None
    source: str = Field(description="Run or file that it was made from.")
    dimensions: list[Dimension] = Field(
        default_factory=list, description="Dimensions that the suite declares itself."
    )
    arms: list[ArmRecord] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_arm_once(self) -> Self:
        names = [arm.arm for arm in self.arms]
        if len(set(names)) < len(names):
            raise ValueError("holds an arm twice")
        return self

    def write(self, path: Path) -> None:
        """Replace `path` atomically; one line a task, so that a diff reads."""
        replace_file(path, encode_baseline(self))


def encode_baseline(baseline: Baseline) -> bytes:
    """The file's bytes: the same for the same results."""
    head = baseline.model_dump(mode="json", exclude={"arms"})
    lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
    arms = []
    for arm in baseline.arms:
        told = arm.model_dump(mode="json", exclude={"tasks"})
        tasks = ",\n   ".join(
            _json(task.model_dump(mode="json", exclude_defaults=True)) for task in arm.tasks
        )
        arms.append(f'{_json(told)[:-1]}, "tasks": [\n   {tasks}\n  ]}}')
    return "\n".join(["{", *lines, f' "arms": [{", ".join(arms)}]', "}", ""]).encode()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline strictly.

    Raises
    ------
    RecordError
        When it is missing, empty, torn, of a newer schema, or holds a key or a number (NaN) that
        no baseline has.
    """
    fix = "save it again with `agenteval baseline save`, or restore it from version control"
    try:
        data = json.loads(path.read_text("utf-8"), parse_constant=_no_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError("The baseline cannot be read", f"{path}: {error}", fix) from error
    if not isinstance(data, dict) or data.get("record") != RECORD:
        raise RecordError(
            "The file is no baseline",
            str(path),
            "name a file that `agenteval baseline save` wrote",
        )
    try:
        return Baseline.model_validate(upgrade(data, str(path)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "(whole)"
        raise RecordError(
            "The baseline is not valid", f"{path}, field {where}: {first['msg']}", fix
        ) from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _no_constant(name: str) -> None:
    raise ValueError(f"it holds {name}, which is no number")
