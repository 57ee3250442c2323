"""A task and a suite as their authors write them (task.toml, suite.toml)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from agenteval.records.checks import AnyCheck
from agenteval.records.dimension import Dimension
from agenteval.records.judge import JudgeSettings
from agenteval.records.strict import Strict, all_inside

Category = Literal[
    "bugfix", "feature", "refactor", "explain", "test", "multi-file", "config", "debug"
]
Difficulty = Literal["easy", "medium", "hard"]
ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
IMAGE_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._/:@-]*$"


class Environment(Strict):
    """Dependencies built once per digest of their keys, then laid into every copy."""

    build: list[str] = Field(
        default_factory=list,
        min_length=1,
        description="Shell commands that build the dependencies; needed unless there is an environment/Dockerfile.",
    )
    network: bool = Field(
        False,
        description="Whether the build may use the network, the Dockerfile's commands included.",
    )
    key: list[str] = Field(
        default_factory=list, description="Files whose contents decide when to build again."
    )

    _inside = field_validator("key")(all_inside)


class Source(Strict):
    """A starting repository that is not in the task folder."""

    git: str = Field(min_length=1, description="URL or local path of a git repository.")
    rev: str = Field(min_length=4, description="Commit to start from.")


class StopGate(Strict):
    """A command the engine runs when the agent says it is done; red gives the agent one more turn.

    It runs in the agent's workspace, so it is no score: checks decide.
    """

    run: str = Field(
        min_length=1, description="Shell command, run with `sh -c` in the agent's workspace."
    )
    max_blocks: int = Field(
        3, ge=1, le=100, description="Most times that the agent is sent back to work."
    )
    timeout_s: float = Field(
        120.0, gt=0, description="Seconds after which the command counts as red."
    )


class Limits(Strict):
    """What may be used by one trial; None means no limit of the task's own."""

    timeout_s: float = Field(600.0, gt=0, description="Wall-clock seconds for the agent.")
    no_progress_s: float | None = Field(
        None, gt=0, description="Seconds without output, file change or model traffic."
    )
    max_cost_usd: float | None = Field(None, gt=0, description="US dollars of metered model use.")
    max_turns: int | None = Field(None, ge=1, description="Turns of the main conversation.")
    max_tokens: int | None = Field(None, ge=1, description="Tokens of all four kinds together.")
    max_requests: int | None = Field(None, ge=1, description="Model requests.")
    max_output_bytes: int | None = Field(
        None, ge=1, description="Bytes of stdout and stderr together."
    )
    memory_mb: int | None = Field(None, ge=16, description="Megabytes of memory.")
    max_processes: int | None = Field(None, ge=1, description="Processes and threads at one time.")
    disk_mb: int | None = Field(None, ge=1, description="Megabytes the workspace may grow.")


class TaskDefaults(Limits):
    """Keys that a suite may set for all of its tasks."""

    kind: Literal["task", "pressure", "injection"] = "task"
    category: Category = "bugfix"
    difficulty: Difficulty = "medium"
    language: str = Field("", description="Main language of the starting repository.")
    tags: list[str] = Field(default_factory=list)
    split: Literal["dev", "holdout"] = "dev"
    covers: list[str] = Field(
        default_factory=list,
        description="Globs of the project under test that this task exercises.",
    )
    requires: list[str] = Field(
        default_factory=list,
        description="Programs on PATH (of the image, if there is one), else the task is skipped and says so.",
    )
    setup: list[str] = Field(
        default_factory=list, description="Shell commands run in the workspace before the agent."
    )
    checks: list[AnyCheck] = Field(default_factory=list)
    stop_gate: StopGate | None = Field(
        None, description="Command that must pass before the agent's word that it is done counts."
    )
    tests: list[str] = Field(
        default_factory=list, description="Globs of the project's own test files."
    )
    protected: list[str] = Field(
        default_factory=list, description="Globs of files the agent should leave alone."
    )
    env: dict[str, str] = Field(
        default_factory=dict, description="Variables for setup, agent and checks."
    )
    network: bool = Field(False, description="Whether setup, agent and checks may use the network.")
    image: str | None = Field(
        None,
        pattern=IMAGE_PATTERN,
        description="Container image in which setup, agent and checks run; environment/Dockerfile is the other way.",
    )
    on_judge_error: Literal["zero", "missing"] = "zero"
    pass_policy: Literal["all", "any", "majority"] = "all"
    environment: Environment | None = None

    _inside = field_validator("tests", "protected")(all_inside)


class Task(TaskDefaults):
    """One problem: what is asked, where it starts, and how the result is graded."""

    id: str = Field(pattern=ID_PATTERN, max_length=100)
    title: str = ""
    prompt: str = Field(
        "", description="What the agent is asked; prompt.md beside task.toml is the other way."
    )
    source: Source | None = None
    hidden: list[str] = Field(
        default_factory=list,
        description="Files below hidden/, laid over the result before grading.",
    )
    skip: str | None = Field(None, description="Reason for which the task is left out.")

    _hidden_inside = field_validator("hidden")(all_inside)


class Commands(Strict):
    """How the project under test is set up, tested and linted."""

    setup: str | None = None
    test: str | None = None
    lint: str | None = None


class Suite(Strict):
    """suite.toml: what the tasks of one folder share."""

    name: str = Field("", description="The folder's name when left out.")
    description: str = ""
    defaults: TaskDefaults = TaskDefaults()
    commands: Commands = Commands()
    judge: JudgeSettings = Field(
        JudgeSettings(), description="Defaults of the checks of kind `judge`."
    )
    protected: list[str] = Field(
        default_factory=list, description="Globs added to every task's `protected`."
    )
    dimensions: list[Dimension] = Field(
        default_factory=list, description="Measures that gates compare beside their own."
    )

    _inside = field_validator("protected")(all_inside)

    @field_validator("dimensions")
    @classmethod
    def _each_once(cls, value: list[Dimension]) -> list[Dimension]:
        names = [dimension.name for dimension in value]
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise ValueError(f"holds {double!r} twice")
        return value
