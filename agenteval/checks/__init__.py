"""Checks: graded facts about a finished trial. One file a family."""

from agenteval.checks.change import protected_edits
from agenteval.checks.patch import read_patch
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.registry import CHECKS, run_check
from agenteval.checks.shortcuts import Shortcut, shortcuts_in
from agenteval.checks.work import ChangedFile, Changes, Metered, ToolUse, Work

__all__ = [
    "ChangedFile",
    "Changes",
    "CHECKS",
    "Grading",
    "Metered",
    "protected_edits",
    "read_patch",
    "run_check",
    "Shortcut",
    "shortcuts_in",
    "ToolUse",
    "Verdict",
    "Work",
]
