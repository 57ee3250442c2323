"""Questions about trials: a trial table in, a tidy result with its uncertainty out."""

from agenteval.comparison.against import RunChange, against
from agenteval.comparison.head_to_head import HeadToHead, head_to_head
from agenteval.comparison.head_to_head import head_to_head as compare
from agenteval.comparison.matrix import TaskMatrix, matrix
from agenteval.comparison.plotting import register_drawing
from agenteval.comparison.reliability import Reliability, reliability
from agenteval.comparison.results import Result
from agenteval.comparison.scoreboard import Scoreboard, scoreboard

__all__ = [
    "against",
    "compare",
    "head_to_head",
    "HeadToHead",
    "matrix",
    "register_drawing",
    "reliability",
    "Reliability",
    "Result",
    "RunChange",
    "scoreboard",
    "Scoreboard",
    "TaskMatrix",
]
