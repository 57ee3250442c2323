"""What an adapter is: a pure function to a command line, and a parser of what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from agenteval.records import Arm
from agenteval.sandbox import View
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Job:
    """One piece of work for an agent: the task, and which repeat with which seed.

    `turn` counts from 1; above that the agent said that it was done, a stop gate was red, and
    `task.prompt` holds the gate's output with the prompt below it.
    """

    task: LoadedTask
    repeat: int
    seed: int
    arm: Arm
    turn: int = 1


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
        Fields of `EventRow`, without the ids.
    """

    answer: str
    finished: bool
    stop_reason: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Mapping[str, Any]] = ()


class Agent(Protocol):
    """A program that works on a task headlessly."""

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
