"""Options that several commands share, and what their values become."""

from __future__ import annotations

import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.output import say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.records import Arm
    from agenteval.sandbox import Sandbox

StoreOption = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="Folder of the store; the nearest .agenteval/store by default.",
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]
TasksOption = Annotated[
    str | None,
    typer.Option(
        "--tasks",
        help="Selection: id globs, tag:x, split:dev, category:bugfix, joined by commas.",
        show_default=False,
    ),
]
AgentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="NAME[@VERSION][:ARG], e.g. scripted:reference or command:'./my-agent {prompt_file}'. Repeat it for several arms.",
        show_default=False,
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="provider/name, crossed with the agents; handed to the agent as $AGENTEVAL_MODEL.",
        show_default=False,
    ),
]
FilesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--agent-files",
        help="File or folder the agent needs, shown to it read-only; part of the arm's digest.",
        show_default=False,
    ),
]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        help="auto, required, bwrap, plain or container (only tasks with an image of their own, which run in containers anyway).",
    ),
]
PassEnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-env",
        help="Hand this variable of your environment to the agent, and to nothing else; its value is masked in everything stored. Repeat it for several.",
        show_default=False,
    ),
]
NoSandboxOption = Annotated[
    bool,
    typer.Option(
        "--no-sandbox", help="Same as --sandbox plain: no isolation; every record says so."
    ),
]
SuiteArgument = Annotated[
    Path | None,
    typer.Argument(
        help="Folder of a suite or of one task, or an experiment.toml; `bundled` for the tasks that come along.",
        show_default="./evals or ./tasks",
    ),
]


def suite_folder(path: Path | None) -> Path:
    """Where the suite is: the one named, else ./evals or ./tasks.

    Raises
    ------
    InvalidInput
        When none is named and none is near.
    """
    if path is not None:
        from agenteval.records import bundled

        return bundled("tasks") if str(path) == "bundled" and not path.exists() else path
    for name in ("evals", "tasks"):
        if Path(name).is_dir():
            return Path(name)
    raise InvalidInput(
        "No suite is named, and there is no ./evals or ./tasks",
        str(Path.cwd()),
        "name a folder of tasks, `bundled` for the tasks that come along, or start one with `agenteval init`",
    )


def store_to_write(path: Path | None) -> Path:
    """The store to write into: the one named, else ./.agenteval/store."""
    from agenteval.records import DEFAULT_STORE

    return path if path is not None else DEFAULT_STORE


def sandbox_of(mode: str, *, no_sandbox: bool) -> Sandbox:
    """The sandbox that the options ask for."""
    from agenteval.sandbox import choose_sandbox

    return choose_sandbox("plain" if no_sandbox else mode)


def variables_of(names: list[str] | None) -> dict[str, str]:
    """Variables to hand to the agent; says which are not masked.

    Raises
    ------
    InvalidInput
        For one that is not set.
    """
    from agenteval.engine import secrets_of, variables_to_pass

    passed = variables_to_pass(names or [])
    plain = sorted(passed.keys() - secrets_of(passed).keys())
    if plain:
        say(
            f"note: {', '.join(plain)} will not be masked: a short value, an existing file or a bare address is taken for no secret"
        )
    return passed


def arms_of(
    agents: list[str] | None, models: list[str] | None, files: list[Path] | None
) -> list[Arm]:
    """Agents x models.

    Raises
    ------
    InvalidInput
        Without an agent.
    """
    from agenteval.agents import make_arm

    if not agents:
        raise InvalidInput(
            "No agent is named",
            "--agent",
            "name one, as in --agent scripted:reference; `agenteval list agents` shows them",
        )
    named: list[str | None] = [*models] if models else [None]
    return [
        make_arm(agent, model=model, files=tuple(files or ()))
        for agent in agents
        for model in named
    ]


def new_run_id(prefix: str = "run") -> str:
    """A fresh run id that sorts by time."""
    return f"{prefix}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def check_run_id(run_id: str) -> str:
    """Return the id if it can be a folder's name.

    Raises
    ------
    InvalidInput
        Otherwise.
    """
    import re

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", run_id):
        raise InvalidInput(
            f"The run id {run_id!r} cannot be a folder's name",
            "--run-id",
            "use letters, digits, dots, dashes and underscores",
        )
    return run_id


def default_concurrency() -> int:
    """Trials at one time when nothing is said: one a core."""
    return max(1, len(os.sched_getaffinity(0)))


def concurrency_of(asked: int | None) -> int:
    """Trials at one time: what was asked for, else one a core.

    Raises
    ------
    InvalidInput
        For less than one.
    """
    if asked is not None and asked < 1:
        raise InvalidInput(
            f"Concurrency {asked} runs nothing", "--concurrency", "give a number of at least 1"
        )
    return default_concurrency() if asked is None else asked
