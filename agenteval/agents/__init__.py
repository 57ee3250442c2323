"""Adapters: how each agent program is started and read. One file each."""

from agenteval.agents.command import CommandAgent
from agenteval.agents.protocol import Agent, AgentReport, Job, Launch, Output
from agenteval.agents.registry import AGENTS, applied_keys, make_agent, make_arm
from agenteval.agents.scripted import Scripted, solve_probability

__all__ = [
    "Agent",
    "AgentReport",
    "AGENTS",
    "applied_keys",
    "CommandAgent",
    "Job",
    "Launch",
    "make_agent",
    "make_arm",
    "Output",
    "Scripted",
    "solve_probability",
]
