"""Checks on output that code of the workspace can print by itself."""

import pytest

from agenteval.records import Task
from agenteval.suite import forgeable_checks, runs_code


@pytest.mark.parametrize(
    "command",
    [
        "cat out.txt",
        "grep -c TODO src/a.py",
        "sort < names.txt | uniq -c | head -1",
        "test -f a && cat a || echo none",
        "if [ -f a ]; then cat a; fi",
        "LC_ALL=C sort a",
        "! grep -q x a",
        "cat a > b; wc -l b",
        "cat a\nhead b",
    ],
)
def test_programs_that_only_read(command):
    assert not runs_code(command)


@pytest.mark.parametrize(
    "command",
    [
        "python app.py",
        "npm test",
        "./cat out.txt",
        "make | cat",
        "cat a && sh run.sh",
        "cat a\nnode app.js",
        "echo $(./run)",
        "echo `./run`",
        "cat <(./run)",
        "PATH=. cat a",
        "find . -exec ./run {} ;",
        "awk -f program.awk a",
        "cat 'unclosed",
    ],
)
def test_anything_else_may_run_code(command):
    assert runs_code(command)


def test_only_checks_on_output_are_named():
    checks = [
        {"kind": "command", "name": "exit", "run": "python app.py"},
        {"kind": "command", "name": "out", "run": "python app.py", "stdout_contains": "ok"},
        {"kind": "command", "name": "re", "run": "python app.py", "stdout_matches": "ok"},
        {"kind": "command", "name": "read", "run": "cat a", "stdout_contains": "ok"},
    ]
    assert forgeable_checks(Task(id="a", checks=checks)) == ["out", "re"]
