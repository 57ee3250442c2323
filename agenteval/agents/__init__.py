"""Adapters: how each agent program is started and read. One file each."""

from agenteval.agents.command import CommandAgent
from agenteval.agents.inventory import agent_catalogue, installed_agents
from agenteval.agents.protocol import Agent, AgentReport, Endpoint, Job, Launch, Output
from agenteval.agents.registry import AGENTS, agent_of, applied_keys, make_agent, make_arm
from agenteval.agents.scripted import Scripted, solution_files, solve_probability

__all__ = [
    "Agent",
    "agent_catalogue",
    "agent_of",
    "AgentReport",
    "AGENTS",
    "applied_keys",
    "CommandAgent",
    "Endpoint",
    "installed_agents",
    "Job",
    "Launch",
    "make_agent",
    "make_arm",
    "Output",
    "Scripted",
    "solution_files",
    "solve_probability",
]
