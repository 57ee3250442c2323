"""Which function carries out which kind of check."""

from __future__ import annotations

from collections.abc import Callable

from agenteval.checks.command import check_command
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.text import check_answer_contains, check_file_contains
from agenteval.records import AnyCheck

CHECKS: dict[str, Callable[..., Verdict]] = {
    "answer-contains": check_answer_contains,
    "command": check_command,
    "file-contains": check_file_contains,
}


def run_check(check: AnyCheck, grading: Grading) -> Verdict:
    """Carry out one check."""
    return CHECKS[check.kind](check, grading)
