"""Tasks and suites: loading them from disk, choosing among them, starting a new one."""

from agenteval.suite.load import load_suite
from agenteval.suite.loaded import LoadedSuite, LoadedTask, Wrong
from agenteval.suite.project.detect import detect_project
from agenteval.suite.project.found import Project
from agenteval.suite.schema import schema
from agenteval.suite.selection import select_tasks
from agenteval.suite.starter import write_starter
from agenteval.suite.tree import is_junk

__all__ = [
    "detect_project",
    "is_junk",
    "load_suite",
    "LoadedSuite",
    "LoadedTask",
    "Project",
    "schema",
    "select_tasks",
    "write_starter",
    "Wrong",
]
