"""The engine: runs plans of trials in sandboxes and records what happened."""

from agenteval.engine.again import plan_of, suite_of
from agenteval.engine.assess import Assessment, assess
from agenteval.engine.base import Bases
from agenteval.engine.budget import Limits
from agenteval.engine.caps import with_caps
from agenteval.engine.changes import changed_since, covering
from agenteval.engine.git_variants import repository_variant
from agenteval.engine.grade import grade
from agenteval.engine.grade_tree import GradedTree, grade_tree
from agenteval.engine.isolation import check_isolation, sandbox_for, sandbox_name
from agenteval.engine.journal import JournalWriter, is_being_written, write_artifacts
from agenteval.engine.manifest import manifest_of, unenforced_limits
from agenteval.engine.merging import Merged, merge_runs
from agenteval.engine.model_access import ModelAccess, Models, check_models, open_models
from agenteval.engine.plan import Plan, make_plan, remaining
from agenteval.engine.preflight import check_arms
from agenteval.engine.progress import Progress
from agenteval.engine.recording import Recording, needs_recording, record_tests
from agenteval.engine.regrade import regrade_run
from agenteval.engine.regraded import Refused, Regraded, RegradeResult, Unsteady
from agenteval.engine.replays import check_recordings, check_trials
from agenteval.engine.retries import Retries, check_classes
from agenteval.engine.reuse import TakenOver, take_over
from agenteval.engine.runner import manifest_for, run_plan
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.secrets import masked_result, secrets_of, variables_to_pass
from agenteval.engine.settings import RunResult, Settings
from agenteval.engine.shards import Shard
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial
from agenteval.engine.validate import Finding, validate
from agenteval.engine.validated import Validated, read_validated, validation_key
from agenteval.engine.variants import check_variants, variant_notes

__all__ = [
    "assess",
    "Assessment",
    "Bases",
    "changed_since",
    "check_arms",
    "check_classes",
    "check_isolation",
    "check_models",
    "check_recordings",
    "check_trials",
    "check_variants",
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
    "ModelAccess",
    "Models",
    "needs_recording",
    "open_models",
    "Plan",
    "plan_of",
    "Progress",
    "read_validated",
    "record_tests",
    "Recording",
    "Refused",
    "regrade_run",
    "Regraded",
    "RegradeResult",
    "remaining",
    "repository_variant",
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
    "Validated",
    "validation_key",
    "variables_to_pass",
    "variant_notes",
    "with_caps",
    "write_artifacts",
]
