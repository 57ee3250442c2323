"""Agents by name: `--agent NAME[@VERSION][:ARG]`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agenteval.agents.command import CommandAgent
from agenteval.agents.protocol import Agent
from agenteval.agents.scripted import Scripted
from agenteval.errors import InvalidInput
from agenteval.records import Arm

AGENTS: dict[str, tuple[Callable[[str, tuple[Path, ...]], Agent], str]] = {
    "command": (CommandAgent, "any shell command: command:'./my-agent {prompt_file}'"),
    "scripted": (
        lambda argument, files: Scripted(argument),
        "built in, needs no model: scripted:reference, scripted:noop, scripted:chance:0.6, scripted:wrong:NAME",
    ),
}


def make_agent(spec: str, files: tuple[Path, ...] = ()) -> Agent:
    """Make the agent that `spec` names.

    Raises
    ------
    InvalidInput
        For an unknown name or an argument the agent does not take.
    """
    head, _, argument = spec.partition(":")
    name = head.partition("@")[0]
    if name not in AGENTS:
        raise InvalidInput(
            f"There is no agent {name!r}",
            f"--agent {spec}",
            f"use one of: {', '.join(sorted(AGENTS))}",
        )
    return AGENTS[name][0](argument, files)


def make_arm(spec: str, *, model: str | None = None, files: tuple[Path, ...] = ()) -> Arm:
    """Describe the arm of an agent: its version and the digests of its declared inputs."""
    agent = make_agent(spec, files)
    return Arm(
        agent_spec=spec,
        agent_version=agent.version(),
        model=model,
        inputs=agent.inputs(),
        files=tuple(str(path.resolve()) for path in files),
    )
