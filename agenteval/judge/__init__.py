"""Judges: models that grade work by a rubric, asked so that the work cannot grade itself."""

from agenteval.judge.asking import Asking, Sample
from agenteval.judge.cache import ReplyCache
from agenteval.judge.canary import injection_signs
from agenteval.judge.dialects import Reply, Request
from agenteval.judge.failure import ProviderFailed
from agenteval.judge.pairs import PairVerdict, judge_pair
from agenteval.judge.parse import Parsed, parse_score, parse_winner
from agenteval.judge.prompt import Prompt, Work, judge_prompt, pair_prompt, rubric_version
from agenteval.judge.provider import Endpoint, Provider, check_judges
from agenteval.judge.rows import judgment_rows, pair_rows
from agenteval.judge.verdict import Judged, judge_work, same_model

__all__ = [
    "Asking",
    "check_judges",
    "Endpoint",
    "injection_signs",
    "judge_pair",
    "judge_prompt",
    "judge_work",
    "Judged",
    "judgment_rows",
    "pair_prompt",
    "pair_rows",
    "PairVerdict",
    "parse_score",
    "parse_winner",
    "Parsed",
    "Prompt",
    "Provider",
    "ProviderFailed",
    "Reply",
    "ReplyCache",
    "Request",
    "rubric_version",
    "same_model",
    "Sample",
    "Work",
]
