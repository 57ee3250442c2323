"""Which agents there are, and which of their programs are installed here."""

from __future__ import annotations

from agenteval.agents.installed import InstalledAgent
from agenteval.agents.protocol import Agent
from agenteval.agents.registry import AGENTS, plugged_agents
from agenteval.errors import MissingProgram

WITH_ARGUMENT = ("command", "module", "scripted")


def installed_agents() -> list[dict[str, str]]:
    """One line for each agent program that there is an adapter for.

    Returns
    -------
    list of dict
        `what` is the agent; `state` is `ok`, `absent` (not installed) or `broken` (its version
        could not be asked); `detail` has the version and the place, or what to do.
    """
    made = (make("", ()) for name, (make, _) in AGENTS.items() if name not in WITH_ARGUMENT)
    return [_line(agent) for agent in made if isinstance(agent, InstalledAgent)]


def _line(agent: InstalledAgent) -> dict[str, str]:
    what = f"agent {agent.name}"
    try:
        program = agent.program
    except MissingProgram as error:
        return {"what": what, "state": "absent", "detail": f"{error.what}; {error.fix}"}
    place = " ".join(program.command)
    if program.version is None:
        asked = f"{place} --version"
        return {"what": what, "state": "broken", "detail": f"it did not answer: {asked}"}
    return {"what": what, "state": "ok", "detail": f"{program.version} ({place})"}


def agent_catalogue() -> list[dict[str, object]]:
    """One line for each agent.

    Returns
    -------
    list of dict
        `agent` and `what it is`; `formats` are the wire formats of models that it speaks (none: it
        needs no model, or it is a program of the operator's own); `installed` is its program's
        version, `no`, or empty where nothing has to be installed; `applies` are the keys of a
        variant that it applies beside files and variables.
    """
    rows: list[dict[str, object]] = []
    for name, (make, text) in sorted(AGENTS.items()):
        agent = None if name in WITH_ARGUMENT else make("", ())
        rows.append({"agent": name, "what it is": text, **_abilities(agent)})
    rows += [
        {"agent": name, "what it is": f"of another package: {point.value}", **_abilities(None)}
        for name, point in sorted(plugged_agents().items())
    ]
    return rows


def _abilities(agent: Agent | None) -> dict[str, object]:
    if not isinstance(agent, InstalledAgent):
        return {"formats": [], "installed": "", "applies": []}
    try:
        installed = agent.program.version or "unknown version"
    except MissingProgram:
        installed = "no"
    return {
        "formats": list(agent.wire_formats),
        "installed": installed,
        "applies": sorted(agent.applies),
    }
