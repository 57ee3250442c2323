"""Questions about trials: a trial table in, a tidy result with its uncertainty out."""

from agenteval.comparison.against import RunChange, against
from agenteval.comparison.agreement import RepeatAgreement, agreement
from agenteval.comparison.assumptions import Assumptions, Stated
from agenteval.comparison.baseline import baseline_of
from agenteval.comparison.dimensions import DIMENSIONS, Measure
from agenteval.comparison.distribution import Distribution, distribution
from agenteval.comparison.error_classes import ErrorClasses, error_classes
from agenteval.comparison.flip_list import Flips, flips
from agenteval.comparison.frontier import Frontier, frontier
from agenteval.comparison.gate import gate
from agenteval.comparison.gate_proof import Step, prove_gate
from agenteval.comparison.gate_report import GateReport
from agenteval.comparison.head_to_head import head_to_head
from agenteval.comparison.head_to_head import head_to_head as compare
from agenteval.comparison.head_to_head_result import HeadToHead
from agenteval.comparison.judge_health import JudgeHealth, judge_health
from agenteval.comparison.judge_trust import JudgeTrust, judge_trust
from agenteval.comparison.limits import LimitCurves, limits
from agenteval.comparison.matrix import TaskMatrix, matrix
from agenteval.comparison.parity import Parity, parity
from agenteval.comparison.plan import StudyPlan, plan
from agenteval.comparison.plotting import register_drawing
from agenteval.comparison.recount import RECOUNTS, recount
from agenteval.comparison.reliability import Reliability, reliability
from agenteval.comparison.results import Result
from agenteval.comparison.rounds import Rounds, rounds
from agenteval.comparison.scoreboard import Scoreboard, scoreboard
from agenteval.comparison.sensitivity import Sensitivity, sensitivity
from agenteval.comparison.slices import Slices, slices
from agenteval.comparison.tags import TagCounts, tag_counts
from agenteval.comparison.timeline import Timeline, timeline
from agenteval.comparison.token_buckets import TokenBuckets, token_buckets
from agenteval.comparison.trend import Trend, trend
from agenteval.comparison.trial_diff import TrialDiff, diff
from agenteval.comparison.warning_signs import WarningSigns, warning_signs

__all__ = [
    "against",
    "agreement",
    "Assumptions",
    "baseline_of",
    "compare",
    "diff",
    "DIMENSIONS",
    "distribution",
    "Distribution",
    "error_classes",
    "ErrorClasses",
    "flips",
    "Flips",
    "frontier",
    "Frontier",
    "gate",
    "GateReport",
    "head_to_head",
    "HeadToHead",
    "judge_health",
    "judge_trust",
    "JudgeHealth",
    "JudgeTrust",
    "LimitCurves",
    "limits",
    "matrix",
    "Measure",
    "parity",
    "Parity",
    "plan",
    "prove_gate",
    "recount",
    "RECOUNTS",
    "register_drawing",
    "reliability",
    "Reliability",
    "RepeatAgreement",
    "Result",
    "rounds",
    "Rounds",
    "RunChange",
    "Scoreboard",
    "scoreboard",
    "sensitivity",
    "Sensitivity",
    "Slices",
    "slices",
    "Stated",
    "Step",
    "StudyPlan",
    "tag_counts",
    "TagCounts",
    "TaskMatrix",
    "Timeline",
    "timeline",
    "token_buckets",
    "TokenBuckets",
    "trend",
    "Trend",
    "TrialDiff",
    "warning_signs",
    "WarningSigns",
]
