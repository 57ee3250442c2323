"""The agent that a suite's own Python module brings along: the seam for a runner of the operator's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast, get_args

from agenteval.agents.protocol import Agent, AgentReport, Job, Launch, Output
from agenteval.records import OverlayKey, digest
from agenteval.sandbox import View
from agenteval.suite import module_agent

OPTIONAL = frozenset(
    {"needs_model", "passes_on", "stubs", "toolless", "user_config", "wire_formats"}
)


class ModuleAgent:
    """Runs what a module exports as `agent`; the module's contents are part of the arm's digest.

    Parameters
    ----------
    path
        The module's file.
    """

    name = "module"

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.inner: Agent = module_agent(self.path)

    @property
    def applies(self) -> frozenset[OverlayKey]:
        """Keys of a variant that it says it applies; all, unless it says otherwise."""
        everything: frozenset[OverlayKey] = frozenset(get_args(OverlayKey))
        found: frozenset[OverlayKey] = getattr(self.inner, "applies", everything)
        return found

    def __getattr__(self, name: str) -> Any:
        """What an adapter may have besides is had where the agent has it."""
        if name not in OPTIONAL or "inner" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def with_user_config(self) -> bool:
        """Whether the agent is to use the operator's own configuration."""
        return getattr(self.inner, "with_user_config", False)

    @with_user_config.setter
    def with_user_config(self, used: bool) -> None:
        cast(Any, self.inner).with_user_config = used

    def version(self) -> str | None:
        """Version as the agent says."""
        return self.inner.version()

    def inputs(self) -> dict[str, str]:
        """The agent's own inputs, and the module's contents."""
        return {**self.inner.inputs(), self.path.name: digest(self.path.read_bytes())}

    def launch(self, job: Job, view: View) -> Launch:
        """As the agent says."""
        return self.inner.launch(job, view)

    def report(self, job: Job, output: Output) -> AgentReport:
        """As the agent reads it."""
        return self.inner.report(job, output)
