"""Which function carries out which kind of check."""

from __future__ import annotations

from collections.abc import Callable

from agenteval.checks.answer_json import check_answer_json
from agenteval.checks.change import check_files_changed, check_protected
from agenteval.checks.command import check_command
from agenteval.checks.files import check_file_absent, check_file_exists, check_marker_absent
from agenteval.checks.hidden_tests import check_hidden_tests
from agenteval.checks.lint import check_lint
from agenteval.checks.metered import (
    check_loads,
    check_maximum,
    check_tool_not_used,
    check_tool_used,
    check_used,
)
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.shortcuts import check_no_shortcuts
from agenteval.checks.suite_tests import check_suite
from agenteval.checks.text import (
    check_answer_equals,
    check_answer_text,
    check_file_equals,
    check_file_text,
)
from agenteval.records import AnyCheck

CHECKS: dict[str, Callable[..., Verdict]] = {
    "answer-contains": check_answer_text,
    "answer-equals": check_answer_equals,
    "answer-json": check_answer_json,
    "answer-matches": check_answer_text,
    "command": check_command,
    "file-absent": check_file_absent,
    "file-contains": check_file_text,
    "file-equals": check_file_equals,
    "file-exists": check_file_exists,
    "file-matches": check_file_text,
    "files-changed": check_files_changed,
    "hidden-tests": check_hidden_tests,
    "lint": check_lint,
    "loads": check_loads,
    "marker-absent": check_marker_absent,
    "max-cost-usd": check_maximum,
    "max-duration-s": check_maximum,
    "max-tokens": check_maximum,
    "max-tool-calls": check_maximum,
    "max-turns": check_maximum,
    "no-shortcuts": check_no_shortcuts,
    "protected": check_protected,
    "suite": check_suite,
    "tool-not-used": check_tool_not_used,
    "tool-used": check_tool_used,
    "used": check_used,
}


def run_check(check: AnyCheck, grading: Grading) -> Verdict:
    """Carry out one check, on the sources that its kind names and no others."""
    return CHECKS[check.kind](check, grading.only(check.sources))
