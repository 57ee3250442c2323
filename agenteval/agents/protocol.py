"""What an adapter is: a pure function to a command line, and a parser of what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from agenteval.records import Arm
from agenteval.sandbox import View
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Endpoint:
    """Where an agent's model is: the gateway, as seen from inside the sandbox.

    Attributes
    ----------
    url
        Root of all wire formats, without a slash at its end: Messages are at `url/v1/messages`,
        Chat Completions at `url/v1/chat/completions`, Responses at `url/v1/responses`, Gemini at
        `url/v1beta/models/...`.
    key
        What takes the place of a key; worth nothing anywhere else.
    model
        Name of the model as its provider spells it; None lets the adapter name one that its
        program knows (a scripted model answers to any name).
    """

    url: str
    key: str
    model: str | None = None


@dataclass(frozen=True)
class Job:
    """One piece of work for an agent: the task, and which repeat with which seed.

    `turn` counts from 1; above that the agent said that it was done, a stop gate was red, and
    `task.prompt` holds the gate's output with the prompt below it. `endpoint` is there for agents
    that need a model. In a replay, `arm` has the model of the recording, so that the agent starts as
    it did then.
    """

    task: LoadedTask
    repeat: int
    seed: int
    arm: Arm
    turn: int = 1
    endpoint: Endpoint | None = None


@dataclass(frozen=True)
class Launch:
    """How to start an agent.

    Attributes
    ----------
    argv
        Program and arguments, with paths as seen from inside the sandbox.
    env
        Variables on top of the base ones.
    files
        Name to contents, laid read-only into the box's `inputs` folder.
    read_only
        Files or folders of the host that the program needs.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    read_only: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Output:
    """What came back: exit code, the two streams, and the answer file if there is one."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    answer_file: bytes | None


@dataclass(frozen=True)
class AgentReport:
    """An adapter's reading of the output.

    Attributes
    ----------
    answer
        The final answer.
    finished
        Whether the agent reached its own end (for programs with a terminal event, that event was
        seen); else the run counts as a crash.
    stop_reason
        What the agent gave as its reason.
    usage
        Values for columns such as turns, tool_calls and reported_cost_usd. They are what the agent
        says of itself; engine and store keep them apart from what was metered.
    events
        Fields of `EventRow`, without the ids; a `parent` counts from 1 in this list.
    limit
        Which limit that it was handed ended it, as its program says: `turns` or `cost`.
    used
        Names of skills, plugins and MCP servers that it really used; None where nothing tells.
    """

    answer: str
    finished: bool
    stop_reason: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Mapping[str, Any]] = ()
    limit: Literal["turns", "cost"] | None = None
    used: frozenset[str] | None = None


class Agent(Protocol):
    """A program that works on a task headlessly.

    An adapter of a real program may further have, as class attributes: `needs_model` (True: it is
    started with an endpoint), `applies` (keys of a variant that it applies), `passes_on` (limits it
    hands to its program: `turns`, `cost`; the engine holds all of them in any case), `user_config`
    (paths below HOME of the operator's own configuration), `stubs` (names of empty files in the
    workspace that are its program's leftovers and no work) and `with_user_config` (set to True on an
    agent in whose HOME they were laid, to have it use them).
    """

    name: str

    def version(self) -> str | None:
        """Version of the program, as it says itself."""
        ...

    def inputs(self) -> dict[str, str]:
        """Declared inputs and hashes of their contents; they are part of the arm's digest."""
        ...

    def launch(self, job: Job, view: View) -> Launch:
        """Say how to start it; runs nothing and touches no file of the trial."""
        ...

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read what came back."""
        ...
