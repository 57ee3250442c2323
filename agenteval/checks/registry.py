"""Which function carries out which kind of check."""

from __future__ import annotations

from collections.abc import Callable

from agenteval.checks.command import check_command
from agenteval.checks.hidden_tests import check_hidden_tests
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.suite_tests import check_suite
from agenteval.checks.text import check_answer_contains, check_file_contains
from agenteval.records import AnyCheck

CHECKS: dict[str, Callable[..., Verdict]] = {
    "answer-contains": check_answer_contains,
    "command": check_command,
    "file-contains": check_file_contains,
    "hidden-tests": check_hidden_tests,
    "suite": check_suite,
}


def run_check(check: AnyCheck, grading: Grading) -> Verdict:
    """Carry out one check."""
    return CHECKS[check.kind](check, grading)
