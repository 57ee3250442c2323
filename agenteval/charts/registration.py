"""Make these charts what `.plot()` draws, and their renderer what notebooks use."""

from __future__ import annotations

from typing import Any

from agenteval.charts.agreement import agreement_chart
from agenteval.charts.changes import changes_chart
from agenteval.charts.difference import difference_chart
from agenteval.charts.distribution import distribution_chart
from agenteval.charts.error_classes import error_classes_chart
from agenteval.charts.flips import flips_chart
from agenteval.charts.frontier import frontier_chart
from agenteval.charts.gate import gate_chart
from agenteval.charts.judge_health import judge_health_chart
from agenteval.charts.judge_trust import judge_trust_chart
from agenteval.charts.limits import limits_chart
from agenteval.charts.parity import parity_chart
from agenteval.charts.plan import plan_chart
from agenteval.charts.reliability import reliability_chart
from agenteval.charts.render import enable
from agenteval.charts.scoreboard import scoreboard_chart
from agenteval.charts.sensitivity import sensitivity_chart
from agenteval.charts.slices import slices_chart
from agenteval.charts.steps import steps_chart
from agenteval.charts.tags import tags_chart
from agenteval.charts.task_matrix import task_matrix_chart
from agenteval.charts.timeline import timeline_chart
from agenteval.charts.token_buckets import token_buckets_chart
from agenteval.charts.trend import trend_chart
from agenteval.charts.warning_signs import warning_signs_chart
from agenteval.comparison import (
    Distribution,
    ErrorClasses,
    Flips,
    Frontier,
    GateReport,
    HeadToHead,
    JudgeHealth,
    JudgeTrust,
    LimitCurves,
    Parity,
    Reliability,
    RepeatAgreement,
    RunChange,
    Scoreboard,
    Sensitivity,
    Slices,
    StudyPlan,
    TagCounts,
    TaskMatrix,
    Timeline,
    TokenBuckets,
    Trend,
    TrialDiff,
    WarningSigns,
    register_drawing,
)

DRAWN: dict[type, Any] = {
    Distribution: distribution_chart,
    ErrorClasses: error_classes_chart,
    Flips: flips_chart,
    Frontier: frontier_chart,
    GateReport: gate_chart,
    HeadToHead: difference_chart,
    JudgeHealth: judge_health_chart,
    JudgeTrust: judge_trust_chart,
    LimitCurves: limits_chart,
    Parity: parity_chart,
    Reliability: reliability_chart,
    RepeatAgreement: agreement_chart,
    RunChange: changes_chart,
    Scoreboard: scoreboard_chart,
    Sensitivity: sensitivity_chart,
    Slices: slices_chart,
    StudyPlan: plan_chart,
    TagCounts: tags_chart,
    TaskMatrix: task_matrix_chart,
    Timeline: timeline_chart,
    TokenBuckets: token_buckets_chart,
    Trend: trend_chart,
    TrialDiff: steps_chart,
    WarningSigns: warning_signs_chart,
}

for result_type, drawing in DRAWN.items():
    register_drawing(result_type, drawing)
enable()
