"""Reading a judge's reply: one score on the declared scale, or the reason why there is none."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

LARGEST_REPLY = 200_000
MOST_OBJECTS = 200
REASONING_CHARS = 4_000
TOP = {"0-1": 1.0, "0-10": 10.0, "0-100": 100.0}
_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
_NUMBER = r"[-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20}|nan|inf(?:inity)?)"
_SAID = re.compile(rf"^({_NUMBER})\s*(?:(/|out of)\s*(\d{{1,4}}(?:\.0+)?)|(%))?$", re.IGNORECASE)
_LINE = re.compile(
    rf"\bscore\b[\"'*`]*\s*(?:[:=]|is)\s*[\"'*`]*\s*({_NUMBER}\s*(?:(?:/|out of)\s*\d{{1,4}}|%)?)",
    re.IGNORECASE,
)
# The same outside of all readable objects: of an object that is broken, say by an unescaped quotation.
_LOOSE_SCORE = re.compile(rf"[\"']score[\"']\s*:\s*[\"']?({_NUMBER})", re.IGNORECASE)
_LOOSE_WINNER = re.compile(r"[\"']winner[\"']\s*:\s*[\"']?(a|b|tie)\b", re.IGNORECASE)
_WINNERS = {"a": "A", "b": "B", "tie": "tie"}


class _Pairs(list):
    """A JSON object as its pairs, so that a key that is given twice is seen."""


@dataclass(frozen=True)
class Parsed:
    """What a reply says.

    Attributes
    ----------
    score
        0 to 1; None when there is none.
    problem
        `no_score`, `out_of_range`, `not_a_number`, `two_scores`, `other_scale`; None with a score.
    detail
        The same in a sentence.
    reasoning
        Its reasons, where it gives some.
    """

    score: float | None
    problem: str | None = None
    detail: str | None = None
    reasoning: str | None = None


def parse_score(reply: str, scale: str = "0-1") -> Parsed:
    r"""Find the one score of a reply.

    A JSON object with the key `score` is looked for: the whole reply, in a fence, or anywhere in
    the text; without any, `score: x`. Scores inside such an object (of single criteria, say) are no
    verdict. Two different scores are none, and so is one that is out of range: it is not clamped. An
    object may be a quotation of what the candidate forged, so a `score: x` after it, and a `"score":`
    outside of it, are scores too.

    Parameters
    ----------
    scale
        Declared scale: `0-1`, `0-10` or `0-100`; `8/10` and `80%` are read only where it agrees.

    Examples
    --------
    >>> parse_score('```json\n{"score": 8, "reasoning": "good"}\n```', "0-10").score
    0.8
    >>> parse_score('{"score": 189500464}').problem
    'out_of_range'
    """
    text = _THOUGHT.sub("", reply[:LARGEST_REPLY])
    found, between = _objects_with(text, "score")
    values = [value for pairs in found for key, value in pairs if key == "score"]
    values += [match[1] for match in _LINE.finditer(between[-1])]
    values += [match[1] for part in between[:-1] for match in _LOOSE_SCORE.finditer(part)]
    if not values:
        return Parsed(None, "no_score", "the reply holds no score")
    read = [_on_scale(value, scale) for value in values]
    scores = {round(one.score, 9) for one in read if one.score is not None}
    bad = next((one for one in read if one.score is None), None)
    if len(scores) > 1 or (scores and bad is not None):
        told = ", ".join(dict.fromkeys(str(value)[:20] for value in values))
        return Parsed(None, "two_scores", f"the reply holds different scores: {told}")
    return Parsed(
        read[0].score,
        None if bad is None else bad.problem,
        None if bad is None else bad.detail,
        _reasoning(found),
    )


def parse_winner(reply: str) -> tuple[str | None, str | None]:
    """Find the winner that a reply names: `A`, `B` or `tie`, and its reasons; None for none or two."""
    text = _THOUGHT.sub("", reply[:LARGEST_REPLY])
    found, between = _objects_with(text, "winner")
    named = {
        _WINNERS.get(str(value).strip().casefold())
        for pairs in found
        for key, value in pairs
        if key == "winner"
    }
    if found:
        loose = (match[1] for part in between for match in _LOOSE_WINNER.finditer(part))
        named |= {_WINNERS[winner.casefold()] for winner in loose}
    winner = named.pop() if len(named) == 1 else None
    return winner, _reasoning(found)


def _on_scale(value: Any, scale: str) -> Parsed:
    """One score, as JSON or text gave it, on 0 to 1."""
    top = TOP[scale]
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return Parsed(None, "not_a_number", f"the score is {type(value).__name__}, no number")
    shown = str(value)[:40]
    if isinstance(value, str):
        match = _SAID.match(value.strip())
        if match is None:
            return Parsed(None, "not_a_number", f"the score {shown!r} is no number")
        said = 100.0 if match[4] else float(match[3]) if match[3] else top
        if said != top:
            return Parsed(None, "other_scale", f"the score {shown!r} is not on the scale {scale}")
        number = float(match[1])
    else:
        number = _float(value)
    if math.isnan(number):
        return Parsed(None, "not_a_number", "the score is NaN")
    if not 0 <= number <= top:
        return Parsed(None, "out_of_range", f"the score {shown} is outside {scale}")
    return Parsed(number / top)


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _objects_with(text: str, wanted: str) -> tuple[list[_Pairs], list[str]]:
    """JSON objects that have a key, none that lies inside another such one, and the text around them."""
    found, between, rest = [], [], 0
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs)
    position, tried = text.find("{"), 0
    while position >= 0 and tried < MOST_OBJECTS:
        tried += 1
        end = position + 1
        try:
            value, stop = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            pass
        else:
            if isinstance(value, _Pairs) and any(key == wanted for key, _ in value):
                found.append(value)
                between.append(text[rest:position])
                rest = end = stop
        position = text.find("{", end)
    return found, [*between, text[rest:]]


def _reasoning(found: list[_Pairs]) -> str | None:
    for pairs in found:
        for key, value in pairs:
            if key in ("reasoning", "reason", "explanation") and isinstance(value, str):
                return value[:REASONING_CHARS]
    return None
