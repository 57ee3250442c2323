"""task.toml of Harbor, and what of it has no place here."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agenteval.suite.foreign.conversion import Conversion, Malformed

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)
_MEGABYTES = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "": 1 / 1024**2}
_PLACEHOLDER = re.compile(r"\$\{")
VERIFIER_TIMEOUT_S = 600.0  # theirs, when nothing is said
LEAST_MEMORY_MB = 16


class _Table(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class Verifier(_Table):
    """How the result is graded."""

    timeout_sec: float = Field(VERIFIER_TIMEOUT_S, gt=0)
    env: dict[str, str] = Field(default_factory=dict)
    environment_mode: str = "shared"
    collect: list[Any] = Field(default_factory=list)


class AgentTable(_Table):
    """What holds for the agent."""

    timeout_sec: float | None = Field(None, gt=0)


class EnvironmentTable(_Table):
    """The container."""

    docker_image: str | None = None
    workdir: str | None = None
    memory_mb: int | None = Field(None, gt=0)
    memory: str | None = None
    storage_mb: int | None = Field(None, gt=0)
    storage: str | None = None
    allow_internet: bool | None = None
    gpus: int = 0
    os: str = "linux"
    env: dict[str, str] = Field(default_factory=dict)
    mcp_servers: list[Any] = Field(default_factory=list)


class SolutionTable(_Table):
    """What the reference solution gets."""

    env: dict[str, str] = Field(default_factory=dict)


class HarborConfig(_Table):
    """task.toml, as far as it decides anything here; other keys are listed as dropped."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    task: dict[str, Any] = Field(default_factory=dict)
    verifier: Verifier = Verifier()
    agent: AgentTable = AgentTable()
    environment: EnvironmentTable = EnvironmentTable()
    solution: SolutionTable = SolutionTable()
    steps: list[Any] = Field(default_factory=list)


def carry_config(task: Conversion, config: HarborConfig) -> None:
    """Put limits and variables into a task, and list what has no place there."""
    environment = config.environment
    if config.agent.timeout_sec is not None:
        task.keys["timeout_s"] = config.agent.timeout_sec
    memory_mb = environment.memory_mb or _megabytes(environment.memory, "environment.memory")
    if memory_mb:
        task.keys["memory_mb"] = max(LEAST_MEMORY_MB, memory_mb)
    disk_mb = environment.storage_mb or _megabytes(environment.storage, "environment.storage")
    if disk_mb:
        task.keys["disk_mb"] = disk_mb
        task.changed("environment.storage_mb", "bounds what the workspace may grow by")
    if environment.env:
        task.tables["env"] = dict(environment.env)
    _list_dropped(task, config)
    _skip_what_cannot_be(task, config)


def _list_dropped(task: Conversion, config: HarborConfig) -> None:
    if config.environment.allow_internet is not False:
        task.changed("environment.allow_internet", "agent and checks are offline; write network = true into task.toml if the task needs the network")  # fmt: skip
    known = {"category", "difficulty", "tags"}
    tables: dict[str, Any] = {
        "": dict.fromkeys(config.model_extra or {}),
        "metadata.": {key: None for key in config.metadata if key not in known},
        "task.": {key: None for key in config.task if key not in ("description", "keywords")},
        "verifier.": config.verifier.model_extra,
        "agent.": config.agent.model_extra,
        "environment.": config.environment.model_extra,
        "solution.": config.solution.model_extra,
    }
    for prefix, extra in tables.items():
        for name in extra or {}:
            task.dropped(prefix + name, _WHY.get(name, "it has no place here; the original is kept in harbor/"))  # fmt: skip


_WHY = {
    "cpus": "there is no limit on processors here",
    "user": "everything runs as the sandbox's own user",
    "build_timeout_sec": "a build has an hour",
    "skills_dir": "skills are for a variant to hand over",
}


def _skip_what_cannot_be(task: Conversion, config: HarborConfig) -> None:
    environment, verifier = config.environment, config.verifier
    if config.steps:
        task.skip("steps", "a task of several steps cannot be run here")
    if environment.gpus:
        task.skip("environment.gpus", "the sandbox has no graphics card")
    if environment.os.lower() != "linux":
        task.skip("environment.os", f"containers run Linux here, not {environment.os}")
    if environment.mcp_servers:
        task.skip("environment.mcp_servers", "servers beside the agent are not started here")
    if verifier.environment_mode != "shared":
        task.skip("verifier.environment_mode", "grading in a container of another image is not supported")  # fmt: skip
    if verifier.collect:
        task.skip("verifier.collect", "nothing is collected from the agent's container but its workspace")  # fmt: skip
    for name, values in (("environment", environment.env), ("verifier", verifier.env)):
        if any(_PLACEHOLDER.search(value) for value in values.values()):
            task.skip(f"{name}.env", "takes variables of the operator's, which no check sees")


def _megabytes(size: str | None, field: str) -> int | None:
    """Megabytes of a size as in 2G or 512M.

    >>> _megabytes("2G", ""), _megabytes("512Mi", "")
    (2048, 512)
    """
    if size is None:
        return None
    found = _SIZE.fullmatch(size.strip())
    if found is None:
        raise Malformed(field, f"is no size, is {size!r}")
    return max(1, round(float(found[1]) * _MEGABYTES[found[2].upper()]))
