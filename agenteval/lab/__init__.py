"""Questions that need both halves: running trials and deciding from them."""

from agenteval.lab.control import Drift, Reused, reuse_control
from agenteval.lab.decide import Decision, decide
from agenteval.lab.judge_pairs import PairsJudged, judge_pairs
from agenteval.lab.rejudge import Rejudged, rejudge
from agenteval.lab.rule import Rule, parse_rule
from agenteval.lab.until import UntilResult, rounds_of, run_until

__all__ = [
    "decide",
    "Decision",
    "Drift",
    "judge_pairs",
    "PairsJudged",
    "parse_rule",
    "rejudge",
    "Rejudged",
    "reuse_control",
    "Reused",
    "rounds_of",
    "Rule",
    "run_until",
    "UntilResult",
]
