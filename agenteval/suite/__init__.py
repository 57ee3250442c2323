"""Tasks and suites: loading them from disk, choosing among them, starting a new one."""

from agenteval.suite.definition import SuiteDefinition, TaskDefinition
from agenteval.suite.experiment import LoadedExperiment, load_experiment
from agenteval.suite.forgeable import forgeable_checks, runs_code
from agenteval.suite.load import load_suite
from agenteval.suite.loaded import LoadedSuite, LoadedTask, Wrong
from agenteval.suite.module import module_agent
from agenteval.suite.project.detect import detect_project
from agenteval.suite.project.found import Project
from agenteval.suite.recorded import recorded_checks, write_recorded
from agenteval.suite.runners import Runner, files_to_run, looks_like_test, runner_of
from agenteval.suite.schema import schema
from agenteval.suite.selection import select_tasks
from agenteval.suite.starter import write_starter
from agenteval.suite.tree import is_junk
from agenteval.suite.variants import (
    CONTROL,
    LoadedVariant,
    files_variant,
    load_variant,
    load_variants,
    plugin_variant,
    variant_files,
    with_present_plugins,
)

__all__ = [
    "CONTROL",
    "detect_project",
    "files_to_run",
    "files_variant",
    "forgeable_checks",
    "is_junk",
    "load_experiment",
    "load_suite",
    "load_variant",
    "load_variants",
    "LoadedExperiment",
    "LoadedSuite",
    "LoadedTask",
    "LoadedVariant",
    "looks_like_test",
    "module_agent",
    "plugin_variant",
    "Project",
    "recorded_checks",
    "Runner",
    "runner_of",
    "runs_code",
    "schema",
    "select_tasks",
    "SuiteDefinition",
    "TaskDefinition",
    "variant_files",
    "with_present_plugins",
    "write_recorded",
    "write_starter",
    "Wrong",
]
