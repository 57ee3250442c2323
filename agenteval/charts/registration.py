"""Make these charts what `.plot()` draws, and their renderer what notebooks use."""

from __future__ import annotations

from typing import Any

from agenteval.charts.difference import difference_chart
from agenteval.charts.reliability import reliability_chart
from agenteval.charts.render import enable
from agenteval.charts.scoreboard import scoreboard_chart
from agenteval.charts.task_matrix import task_matrix_chart
from agenteval.comparison import (
    HeadToHead,
    Reliability,
    Scoreboard,
    TaskMatrix,
    register_drawing,
)

DRAWN: dict[type, Any] = {
    HeadToHead: difference_chart,
    Reliability: reliability_chart,
    Scoreboard: scoreboard_chart,
    TaskMatrix: task_matrix_chart,
}

for result_type, drawing in DRAWN.items():
    register_drawing(result_type, drawing)
enable()
