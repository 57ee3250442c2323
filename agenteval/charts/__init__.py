"""One chart a result: each draws the result's table and computes nothing.

Importing this package makes `agenteval` altair's renderer (see `enable`) and registers the charts as
what `.plot()` draws.
"""

import agenteval.quick_jsonschema  # noqa: F401 - has to run before altair is imported
from agenteval.charts.agreement import agreement_chart
from agenteval.charts.changes import changes_chart
from agenteval.charts.difference import difference_chart
from agenteval.charts.distribution import distribution_chart
from agenteval.charts.error_classes import error_classes_chart
from agenteval.charts.flakiness import flakiness_chart
from agenteval.charts.flips import flips_chart
from agenteval.charts.frontier import frontier_chart
from agenteval.charts.gate import gate_chart
from agenteval.charts.judge_health import judge_health_chart
from agenteval.charts.judge_rates import judge_rates_chart
from agenteval.charts.judge_trust import judge_trust_chart
from agenteval.charts.limits import limits_chart
from agenteval.charts.parity import parity_chart
from agenteval.charts.plan import plan_chart
from agenteval.charts.registration import DRAWN
from agenteval.charts.reliability import reliability_chart
from agenteval.charts.render import enable, to_png, to_svg
from agenteval.charts.scoreboard import scoreboard_chart
from agenteval.charts.sensitivity import sensitivity_chart
from agenteval.charts.sequence import sequence_chart
from agenteval.charts.slices import slices_chart
from agenteval.charts.steps import steps_chart
from agenteval.charts.tags import tags_chart
from agenteval.charts.task_matrix import task_matrix_chart
from agenteval.charts.timeline import timeline_chart
from agenteval.charts.token_buckets import token_buckets_chart
from agenteval.charts.trend import trend_chart
from agenteval.charts.warning_signs import warning_signs_chart

__all__ = [
    "agreement_chart",
    "changes_chart",
    "difference_chart",
    "distribution_chart",
    "DRAWN",
    "enable",
    "error_classes_chart",
    "flakiness_chart",
    "flips_chart",
    "frontier_chart",
    "gate_chart",
    "judge_health_chart",
    "judge_rates_chart",
    "judge_trust_chart",
    "limits_chart",
    "parity_chart",
    "plan_chart",
    "reliability_chart",
    "scoreboard_chart",
    "sensitivity_chart",
    "sequence_chart",
    "slices_chart",
    "steps_chart",
    "tags_chart",
    "task_matrix_chart",
    "timeline_chart",
    "to_png",
    "to_svg",
    "token_buckets_chart",
    "trend_chart",
    "warning_signs_chart",
]
