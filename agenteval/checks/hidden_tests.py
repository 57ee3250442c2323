"""The check `hidden-tests`: hidden test files give exactly the recorded ids, all of them passed.

Code under test runs in the process of its tests, so nothing that process says proves by itself
that the tests passed. Three things are asked for together: results at a path that nobody knew
before, the ids that the reference solution gave (none missing, added, skipped or failed), and a
tripwire in every file, laid in for this grading only, that came out red.

Resisted: ending the process with exit code 0, a JUnit file written beforehand or by hand, skipping,
deselecting or turning green all tests (by a conftest.py, by patching the runner, by rewriting the
results at exit), assertions made harmless (those of pytest, unittest, node:assert and expect that
the file itself uses), a stub in place of the runner, edited copies of the hidden files, anything
left behind by an earlier check (each check on single tests gets a fresh copy of its own).

Not resisted: code written against this very grading. In the test process it can read the hidden
files, tell the tripwire by what it asserts, and forge the rest. Nor answers that cheat without
touching the runner: objects equal to everything, patched functions that the tests compute with,
expected values copied from the test files while they run.
"""

from __future__ import annotations

from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.recorded_run import run_recorded
from agenteval.records import HiddenTestsCheck


def check_hidden_tests(check: HiddenTestsCheck, grading: Grading) -> Verdict:
    """Run the hidden test files; the recorded ids must be there, passed, and be all there is."""
    return run_recorded(check, grading, exact=True)
