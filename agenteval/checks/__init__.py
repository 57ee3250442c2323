"""Checks: graded facts about a finished trial. One file a family."""

from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.registry import CHECKS, run_check

__all__ = ["CHECKS", "Grading", "run_check", "Verdict"]
