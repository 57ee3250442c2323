"""Agents by name: `--agent NAME[@VERSION][:ARG]`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from agenteval.agents.command import CommandAgent
from agenteval.agents.module import ModuleAgent
from agenteval.agents.protocol import Agent
from agenteval.agents.scripted import Scripted
from agenteval.errors import InvalidInput
from agenteval.records import Arm, Overlay, OverlayKey
from agenteval.suite import with_present_plugins

ALL_KEYS: frozenset[OverlayKey] = frozenset(get_args(OverlayKey))

AGENTS: dict[str, tuple[Callable[[str, tuple[Path, ...]], Agent], str]] = {
    "command": (CommandAgent, "any shell command: command:'./my-agent {prompt_file}'"),
    "module": (
        lambda argument, files: ModuleAgent(argument),
        "what a Python suite exports as `agent`: module:path/to/suite.py",
    ),
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


def make_arm(
    spec: str,
    *,
    model: str | None = None,
    files: tuple[Path, ...] = (),
    variant: str | None = None,
    overlay: Overlay | None = None,
) -> Arm:
    """Describe the arm of an agent: its version and the digests of its declared inputs.

    Parameters
    ----------
    variant, overlay
        Name of a variant, and what it hands over; its plugins are looked at anew.

    Raises
    ------
    InvalidInput
        For an agent that cannot be made, or a plugin that is gone.
    """
    agent = make_agent(spec, files)
    now = None if overlay is None else with_present_plugins(overlay)
    return Arm(
        agent_spec=spec,
        agent_version=agent.version(),
        model=model,
        variant=variant,
        inputs=agent.inputs() | ({} if now is None else {"variant": now.digest}),
        files=tuple(str(path.resolve()) for path in files),
        overlay=now,
    )


def applied_keys(spec: str) -> frozenset[OverlayKey]:
    """Keys of a variant that an agent applies; the engine itself applies `env` and `files`.

    An agent of the operator's own is handed all of them and is taken at its word.
    """
    applies: frozenset[OverlayKey] = getattr(make_agent(spec), "applies", ALL_KEYS)
    return applies | {"env", "files", "pass_env"}
