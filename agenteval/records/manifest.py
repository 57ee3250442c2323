"""run.json: what was planned, with what, by which versions, on which machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from agenteval.errors import RecordError
from agenteval.records.arm import Arm
from agenteval.records.dimension import Dimension
from agenteval.records.durable import replace_file
from agenteval.records.rows import ArmRow, Row, RunRow, TaskRow
from agenteval.records.schema import SCHEMA_VERSION, upgrade


class RunManifest(Row):
    """Everything about a run that is known before its first trial.

    Resuming compares `plan_digest`: a run cannot go on with other tasks, arms or repeats.
    """

    schema_version: int = SCHEMA_VERSION
    run: RunRow
    tasks: list[TaskRow]
    arms: list[ArmRow]
    planned_arms: list[Arm] = Field(
        default_factory=list, description="The arms as they were asked for, for `retry`."
    )
    plan_digest: str = Field("", description="Hash of tasks, arms, repeats and seed.")
    limits: dict[str, Any] = Field(
        default_factory=dict, description="Limits in force, and those that are not enforced."
    )
    budget: dict[str, Any] = Field(
        default_factory=dict, description="Limits of the whole run: max_cost_usd, max_minutes."
    )
    passed_variables: list[str] = Field(
        default_factory=list,
        description="Names of the operator's variables that the agents got; their values are stored nowhere.",
    )
    judge: dict[str, str] = Field(
        default_factory=dict,
        description="What the command line said of the judge: model, base_url, api, and the name of the key's variable.",
    )
    models: dict[str, Any] = Field(
        default_factory=dict,
        description="How agents reached their models: upstreams (no keys), prices, record, rules, pace.",
    )
    caps: dict[str, Any] = Field(
        default_factory=dict,
        description="Limits that an experiment set for every trial, below those of the tasks.",
    )
    dimensions: list[Dimension] = Field(
        default_factory=list, description="Dimensions that suite.toml declares, for gates."
    )
    suite_path: str | None = Field(
        None, description="Where the suite was, for `regrade` and for people."
    )

    def write(self, path: Path) -> None:
        """Replace `path` atomically."""
        replace_file(path, self.model_dump_json(indent=1).encode() + b"\n")


def read_manifest(path: Path) -> RunManifest:
    """Read a run.json.

    Raises
    ------
    RecordError
        When it is missing, torn or of a newer schema.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(
            "The run's manifest cannot be read",
            f"{path}: {error}",
            "restore run.json from a copy of the run's folder",
        ) from error
    try:
        return RunManifest.model_validate(upgrade(data, str(path)))
    except ValidationError as error:
        first = error.errors()[0]
        raise RecordError(
            "The run's manifest is not valid",
            f"{path}, field {'.'.join(map(str, first['loc']))}: {first['msg']}",
            "restore run.json from a copy of the run's folder",
        ) from error
