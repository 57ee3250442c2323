"""The engine: runs plans of trials in sandboxes and records what happened."""

from agenteval.engine.base import Bases
from agenteval.engine.grade import grade
from agenteval.engine.journal import JournalWriter, is_being_written, write_artifacts
from agenteval.engine.manifest import manifest_of, unenforced_limits
from agenteval.engine.plan import Plan, make_plan, remaining
from agenteval.engine.recording import Recording, needs_recording, record_tests
from agenteval.engine.runner import Progress, RunResult, Settings, run_plan
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.trial import Surroundings, run_trial
from agenteval.engine.validate import Finding, validate

__all__ = [
    "Bases",
    "Finding",
    "grade",
    "is_being_written",
    "JournalWriter",
    "make_plan",
    "manifest_of",
    "needs_recording",
    "Plan",
    "Progress",
    "record_tests",
    "Recording",
    "remaining",
    "run_plan",
    "run_trial",
    "RunResult",
    "scratch_folder",
    "Settings",
    "Surroundings",
    "TrialResult",
    "TrialSpec",
    "unenforced_limits",
    "validate",
    "write_artifacts",
]
