"""Two trials of one task compared by a judge, in both orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agenteval.judge.asking import Asking, Sample
from agenteval.judge.canary import injection_signs
from agenteval.judge.parse import Parsed, parse_winner
from agenteval.judge.prompt import Work, pair_prompt
from agenteval.records import JudgeQuestion

POINTS = {"A": 1.0, "B": 0.0, "tie": 0.5}


@dataclass(frozen=True)
class PairVerdict:
    """What one judge made of two pieces of work.

    Attributes
    ----------
    judge
        Who was asked.
    first_shown, second_shown
        The replies when the one piece was shown first, and when it was shown second. Their scores
        are that piece's: 1 won, 0.5 tie, 0 lost; None without a verdict.
    injection
        Signs, in either piece, of text that speaks to the judge.
    """

    judge: str
    first_shown: Sample
    second_shown: Sample
    injection: tuple[str, ...] = ()

    @property
    def winner(self) -> Literal["one", "other", "tie"] | None:
        """The piece that wins in both orders; a tie when they contradict, None when one is missing."""
        one, two = self.first_shown.score, self.second_shown.score
        if one is None or two is None:
            return None
        if one == two == 1.0:
            return "one"
        return "other" if one == two == 0.0 else "tie"

    @property
    def flipped(self) -> bool | None:
        """Whether the verdict changes with the order; None when one is missing."""
        one, two = self.first_shown.score, self.second_shown.score
        return None if one is None or two is None else one != two


def judge_pair(
    one: Work, other: Work, question: JudgeQuestion, asking: Asking
) -> tuple[PairVerdict, ...]:
    """Ask each judge which of two pieces of work on one task is better, in both orders.

    A verdict that holds in both orders is a win, one that flips is a tie: it says where the piece
    stood, not how good it is. Hand `first_shown.score` and `second_shown.score` of many pairs to
    `stats.position_bias` for the flip rate with its interval.
    """
    first, second = pair_prompt(one, other, question), pair_prompt(other, one, question)
    signs = injection_signs(*one.texts, *other.texts)
    return tuple(
        PairVerdict(
            judge,
            asking.samples(first, judge, 1, lambda text: _read(text, as_first=True))[0],
            asking.samples(second, judge, 1, lambda text: _read(text, as_first=False))[0],
            signs,
        )
        for judge in question.judges
    )


def _read(text: str, *, as_first: bool) -> Parsed:
    winner, reasoning = parse_winner(text)
    if winner is None:
        return Parsed(None, "no_winner", "the reply names no winner, or two", reasoning)
    points = POINTS[winner]
    return Parsed(points if as_first else 1 - points, reasoning=reasoning)
