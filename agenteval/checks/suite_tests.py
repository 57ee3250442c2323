"""The check `suite`: the project's own tests, put back as they were at the start, still pass.

Files that the task's `tests` match are those of the start again, whatever the agent did to them:
edited ones are replaced, deleted ones restored. Files that the agent added stay, and are not run:
only the recorded ids count, and each of them must be there and have passed. What is resisted is
what `hidden-tests` resists; here the agent has seen the tests.
"""

from __future__ import annotations

from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.recorded_run import run_recorded
from agenteval.records import SuiteCheck


def check_suite(check: SuiteCheck, grading: Grading) -> Verdict:
    """Run the original test files; the recorded ids must be there and have passed."""
    return run_recorded(check, grading, exact=False)
