"""Questions that need both halves: running trials and deciding from them."""

from agenteval.lab.control import Drift, Reused, reuse_control
from agenteval.lab.decide import Decision, decide
from agenteval.lab.judge_pairs import PairsJudged, judge_pairs
from agenteval.lab.live import LiveRun, start, watch
from agenteval.lab.rejudge import Rejudged, rejudge
from agenteval.lab.rule import Rule, parse_rule
from agenteval.lab.run import run
from agenteval.lab.until import UntilResult, rounds_of, run_until

__all__ = [
    "decide",
    "Decision",
    "Drift",
    "judge_pairs",
    "LiveRun",
    "PairsJudged",
    "parse_rule",
    "rejudge",
    "Rejudged",
    "reuse_control",
    "Reused",
    "rounds_of",
    "Rule",
    "run",
    "run_until",
    "start",
    "UntilResult",
    "watch",
]
