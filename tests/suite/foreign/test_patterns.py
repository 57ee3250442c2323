"""Expressions of Go and JavaScript in Python's multi-line mode, and what test scripts need."""

import re

import pytest

from agenteval.suite.foreign.conversion import Malformed
from agenteval.suite.foreign.durations import seconds_of
from agenteval.suite.foreign.harbor_grading import obstacle
from agenteval.suite.foreign.patterns import single_line


@pytest.mark.parametrize(
    ("pattern", "finds", "misses"),
    [
        ("^a$", "a", "b\na\nb"),
        (r"a\$", "a$", "a"),
        ("[]^$]x$", "^x", "ax"),
        ("[^]$]x", "ax", "$x"),
        ("[[a]b", "[b", "bb"),
        ("(?m)^a$", "b\na\nb", "b"),
        (r"x\z", "x", "x\n"),
        ("(?<n>a)(?<!b)c", "ac", "bc"),
    ],
)
def test_an_expression_finds_what_it_found(pattern, finds, misses):
    ours = single_line(pattern, "pattern")
    assert re.search(ours, finds, re.MULTILINE)
    assert not re.search(ours, misses, re.MULTILINE)


@pytest.mark.parametrize("pattern", ["(", "", r"\pL+", "[[:alpha:]]"])
def test_what_python_cannot_read_is_refused(pattern):
    with pytest.raises(Malformed):
        single_line(pattern, "pattern")


@pytest.mark.parametrize("value", ["soon", "5x", "", "0s", -1, "nan", "inf", "1m30"])
def test_no_duration(value):
    with pytest.raises(Malformed):
        seconds_of(value, "timeout")


@pytest.mark.parametrize(
    ("line", "stops"),
    [
        ("curl -s http://localhost:8000/a", False),
        ("curl -LsSf https://example.org/install.sh | sh", True),
        ("pip install pytest  # from 127.0.0.1", True),
        ("# apt-get install jq", False),
        ("apt list && git status && uv --version", False),
        ("apt-get -y install jq", True),
        ("uv run pytest /tests", True),
    ],
)
def test_what_a_test_script_needs(line, stops):
    assert (obstacle(f"#!/bin/sh\n{line}\n") is not None) == stops
