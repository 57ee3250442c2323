"""The engine: runs plans of trials in sandboxes and records what happened."""

from agenteval.engine.again import plan_of, suite_of
from agenteval.engine.base import Bases
from agenteval.engine.budget import Limits
from agenteval.engine.changes import changed_since, covering
from agenteval.engine.grade import grade
from agenteval.engine.grade_tree import GradedTree, grade_tree
from agenteval.engine.isolation import check_isolation, sandbox_for, sandbox_name
from agenteval.engine.journal import JournalWriter, is_being_written, write_artifacts
from agenteval.engine.manifest import manifest_of, unenforced_limits
from agenteval.engine.merging import Merged, merge_runs
from agenteval.engine.plan import Plan, make_plan, remaining
from agenteval.engine.preflight import check_arms
from agenteval.engine.progress import Progress
from agenteval.engine.recording import Recording, needs_recording, record_tests
from agenteval.engine.regrade import regrade_run
from agenteval.engine.regraded import Refused, Regraded, RegradeResult, Unsteady
from agenteval.engine.retries import Retries, check_classes
from agenteval.engine.reuse import TakenOver, take_over
from agenteval.engine.runner import RunResult, Settings, manifest_for, run_plan
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.secrets import masked_result, secrets_of, variables_to_pass
from agenteval.engine.shards import Shard
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.trial import Surroundings, run_trial
from agenteval.engine.validate import Finding, validate

__all__ = [
    "Bases",
    "changed_since",
    "check_arms",
    "check_classes",
    "check_isolation",
    "covering",
    "Finding",
    "grade",
    "grade_tree",
    "GradedTree",
    "is_being_written",
    "JournalWriter",
    "Limits",
    "make_plan",
    "manifest_for",
    "manifest_of",
    "masked_result",
    "merge_runs",
    "Merged",
    "needs_recording",
    "Plan",
    "plan_of",
    "Progress",
    "record_tests",
    "Recording",
    "Refused",
    "regrade_run",
    "Regraded",
    "RegradeResult",
    "remaining",
    "Retries",
    "run_plan",
    "run_trial",
    "RunResult",
    "sandbox_for",
    "sandbox_name",
    "scratch_folder",
    "secrets_of",
    "Settings",
    "Shard",
    "suite_of",
    "Surroundings",
    "take_over",
    "TakenOver",
    "TrialResult",
    "TrialSpec",
    "unenforced_limits",
    "Unsteady",
    "validate",
    "variables_to_pass",
    "write_artifacts",
]
