"""Processes, isolation and limits: the only layer that starts a program."""

from agenteval.sandbox.box import Box, Command, Sandbox, View, base_environment, run_in
from agenteval.sandbox.bwrap import Bubblewrap, bwrap_works
from agenteval.sandbox.choose import choose_sandbox
from agenteval.sandbox.plain import Plain
from agenteval.sandbox.process import Bounds, Finished, run_process
from agenteval.sandbox.programs import find_program, program_folders

__all__ = [
    "base_environment",
    "Bounds",
    "Box",
    "Bubblewrap",
    "bwrap_works",
    "choose_sandbox",
    "Command",
    "find_program",
    "Finished",
    "Plain",
    "program_folders",
    "run_in",
    "run_process",
    "Sandbox",
    "View",
]
