"""Agents by name: `--agent NAME[@VERSION][:ARG]`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import get_args

from agenteval.agents.aider import Aider
from agenteval.agents.claude_code import ClaudeCode
from agenteval.agents.codex import Codex
from agenteval.agents.command import CommandAgent, content_digest
from agenteval.agents.gemini import Gemini
from agenteval.agents.mini_swe_agent import MiniSweAgent
from agenteval.agents.module import ModuleAgent
from agenteval.agents.opencode import Opencode
from agenteval.agents.protocol import Agent
from agenteval.agents.scripted import Scripted
from agenteval.agents.user_config import INPUT, SUFFIX, with_user_config
from agenteval.errors import InvalidInput
from agenteval.records import Arm, Overlay, OverlayKey
from agenteval.suite import with_present_plugins

GROUP = "agenteval.agents"
ALL_KEYS: frozenset[OverlayKey] = frozenset(get_args(OverlayKey))

AGENTS: dict[str, tuple[Callable[[str, tuple[Path, ...]], Agent], str]] = {
    "aider": (lambda argument, files: Aider(argument), "aider, installed here or aider:image"),
    "claude-code": (
        lambda argument, files: ClaudeCode(argument),
        "Claude Code, installed here, or with claude-code:image in the task's image",
    ),
    "codex": (lambda argument, files: Codex(argument), "Codex CLI, installed here or codex:image"),
    "command": (CommandAgent, "any shell command: command:'./my-agent {prompt_file}'"),
    "gemini": (
        lambda argument, files: Gemini(argument),
        "Gemini CLI, installed here or gemini:image",
    ),
    "mini-swe-agent": (
        lambda argument, files: MiniSweAgent(argument),
        "mini-swe-agent, installed here or mini-swe-agent:image",
    ),
    "module": (
        lambda argument, files: ModuleAgent(argument),
        "what a Python file exports as `agent`, a suite or one of its own: module:path/to/my_agent.py",
    ),
    "opencode": (
        lambda argument, files: Opencode(argument),
        "opencode, installed here or opencode:image",
    ),
    "scripted": (
        lambda argument, files: Scripted(argument),
        "built in, needs no model: scripted:reference, scripted:noop, scripted:chance:0.6, scripted:wrong:NAME",
    ),
}


def plugged_agents() -> dict[str, EntryPoint]:
    """Agents of other installed packages: entry points of the group `agenteval.agents`.

    Each names a callable that takes the argument of `--agent NAME:ARG` and gives an agent.
    """
    return {point.name: point for point in entry_points(group=GROUP)}


def make_agent(spec: str, files: tuple[Path, ...] = ()) -> Agent:
    """Make the agent that `spec` names.

    Raises
    ------
    InvalidInput
        For an unknown name or an argument the agent does not take.
    """
    head, _, argument = spec.partition(":")
    name = head.partition("@")[0]
    if name in AGENTS:
        return AGENTS[name][0](argument, files)
    plugged = plugged_agents()
    if name not in plugged:
        raise InvalidInput(
            f"There is no agent {name!r}",
            f"--agent {spec}",
            f"use one of: {', '.join(sorted({*AGENTS, *plugged}))}; one of your own is module:path/to/my_agent.py",
        )
    made: Agent = plugged[name].load()(argument)
    return made


def make_arm(
    spec: str,
    *,
    model: str | None = None,
    files: tuple[Path, ...] = (),
    variant: str | None = None,
    overlay: Overlay | None = None,
    user_config: bool = False,
) -> Arm:
    """Describe the arm of an agent: its version and the digests of its declared inputs.

    Parameters
    ----------
    variant, overlay
        Name of a variant, and what it hands over; its plugins are looked at anew.
    user_config
        Hand it the operator's own settings and memory, too; the arm says so in its variant.

    Raises
    ------
    InvalidInput
        For an agent that cannot be made or has another version than asked for, or a plugin that
        is gone.
    MissingProgram
        When the agent's program is not installed.
    """
    agent = make_agent(spec, files)
    if user_config:
        agent = with_user_config(agent, spec)
        variant = f"{variant}+{SUFFIX}" if variant else SUFFIX
    _refuse_other_version(spec, agent)
    now = None if overlay is None else with_present_plugins(overlay)
    return Arm(
        agent_spec=spec,
        agent_version=agent.version(),
        model=model,
        variant=variant,
        inputs=agent.inputs()
        | _model_inputs(model)
        | ({} if now is None else {"variant": now.digest}),
        files=tuple(str(path.resolve()) for path in files),
        overlay=now,
    )


def agent_of(arm: Arm) -> Agent:
    """The agent of an arm, ready to be launched."""
    agent = make_agent(arm.agent_spec, tuple(Path(path) for path in arm.files))
    return with_user_config(agent, arm.agent_spec) if INPUT in arm.inputs else agent


def _refuse_other_version(spec: str, agent: Agent) -> None:
    """Refuse `NAME@VERSION` where the program has another version, or none."""
    asked = spec.partition(":")[0].partition("@")[2]
    found = agent.version() if asked else None
    if asked and asked != found:
        raise InvalidInput(
            f"The agent {agent.name} is at version {found or 'unknown'}, not {asked}",
            f"--agent {spec}",
            f"install version {asked}, or ask for what is there: {agent.name}{f'@{found}' if found else ''}",
        )


def _model_inputs(model: str | None) -> dict[str, str]:
    """Hash of the script or recording that takes the place of a model: another one is another arm."""
    kind, _, rest = (model or "").partition(":")
    path = Path(rest)
    if kind not in ("scripted", "replay") or not rest or not path.exists():
        return {}
    return {"model": content_digest(path)}


def applied_keys(spec: str) -> frozenset[OverlayKey]:
    """Keys of a variant that an agent applies; the engine itself applies the others.

    An agent of the operator's own is handed all of them and is taken at its word.
    """
    applies: frozenset[OverlayKey] = getattr(make_agent(spec), "applies", ALL_KEYS)
    return applies | {"env", "faults", "files", "pass_env"}
