"""Why a commit cannot become a task: what its test run said, and what to do about it."""

from __future__ import annotations

import re

from agenteval.errors import AgentEvalError, InvalidInput
from agenteval.suite.authoring import CommitChange

_HEADING = re.compile(r"_{3,} .+ _{3,}|✖ .+")  # of pytest, and of node
_RAISED = re.compile(r"(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Warning|Exit)\b(?: \[\w+\])?(?::|$)")
_LAID_IN = re.compile(r"--- laid in by the grading, and meant to fail: (.*) ---")
_NO_MODULE = re.compile(r"No module named '?([\w.]+)|Cannot find (?:module|package) '([^'.][^']*)'")
_LONGEST = 200


class Unfit(InvalidInput):
    """A commit cannot become a task."""


def unfit(change: CommitChange, what: str, advice: str) -> Unfit:
    """The error that says why."""
    return Unfit(f"{_named(change)}{what}", change.sha, advice)


def reason_of(error: AgentEvalError, change: CommitChange) -> str:
    """What an error says of a commit, without the commit's name."""
    return error.what.removeprefix(_named(change))


def _named(change: CommitChange) -> str:
    return f"Commit {change.short} ({change.subject[:60]}) cannot become a task: "


def error_line(output: str) -> str:
    r"""The last error of a test run, on one line; empty when it shows none.

    Errors of the tests that grading lays in, which are meant to fail, are passed over.

    >>> error_line("a.py:1: in <module>\nE   ImportError: cannot import name 'x'\n1 error in 0.06s")
    "ImportError: cannot import name 'x'"
    """
    said = _LAID_IN.search(output)
    ours = [name for name in said[1].split(", ") if name] if said else []
    passed_over, raised, claimed = False, "", ""
    for line in output.splitlines():
        if _HEADING.fullmatch(line.strip()):
            passed_over = any(name in line for name in ours)
        text = line.removeprefix("E  ").strip()
        if passed_over or not text:
            continue
        if _RAISED.match(text):
            raised = text
        elif line.startswith("E   ") and text.startswith("assert "):
            claimed = text
    return (raised or claimed)[:_LONGEST]


def brief(told: str) -> str:
    """The end of what a test run said, on one line."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    return " / ".join([*lines[:1], *lines[-2:]] if len(lines) > 3 else lines)[:300] or "no output"


_ADVICE = {
    "a merge": "name one of the commits that it merges",
    "no parent": "name a later commit",
    "no tests": "choose a commit that changes tests too, or say which files are tests with --tests GLOB",
    "deletes tests": "choose a commit that adds or changes tests",
    "no source": "choose a commit that fixes something",
    "pytest or node runs": "say which files are tests with --tests GLOB, or begin a task of your own with `agenteval task new`",
    "a link or a submodule": "choose another commit: a task is made of plain files",
    "for pytest and for node": "name the files of one of them with --tests GLOB",
    "no test of it fails": "its tests do not show what it fixes: choose another commit, or write a test with `agenteval task new`",
    "other ids": "give its parametrized tests fixed ids, or choose another commit",
    "--setup fails": "mend the command, or choose another commit",
}


def advice(why: str, *, found: str = "", given: str = "") -> str:
    """What to do about a reason.

    Parameters
    ----------
    found
        Command that would set the project up, by its files; empty when they do not say.
    given
        Command that does, by its author.
    """
    known = next((text for sign, text in _ADVICE.items() if sign in why), None)
    if known is not None:
        return known
    missing = _NO_MODULE.search(why)
    name = (missing[1] or missing[2]) if missing else ""
    if name and given:
        return f"let --setup install {name} too, or say what runs the tests with --runner"
    if found:
        return f"if it needs what it depends on, give --setup {found!r}: a .venv that it makes runs the tests, if it holds pytest; another program goes with --runner"
    if name and not given:
        return f"if {name} is what it depends on, install it with --setup 'python3 -m venv .venv && .venv/bin/pip install pytest {name}': that .venv runs the tests; another program goes with --runner"
    return "run its tests by hand at that commit, and say how with --setup and --runner"
