"""Scripted models: what they say and do, step by step, whatever agent asks.

A step is found by how far the conversation is, so an agent that repeats a request gets the same
step again. What is to be done is mapped onto the tools that the agent offers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agenteval.gateway.deeds import DONE, Change, Deed, Turn, done, told
from agenteval.gateway.tools import says_done
from agenteval.gateway.wire.protocol import Asked, Reply, Say, Tool, Usage, Wire

PLAYED = Usage(100, 0, 0, 20)


@dataclass(frozen=True)
class Trouble:
    """An error in place of an answer: the first `times` times that a step is asked for, or always."""

    status: int
    message: str = "scripted error"
    times: int | None = None
    retry_after_s: float | None = None

    @property
    def kind(self) -> str:
        """What sort of refusal the status is.

        >>> [Trouble(status).kind for status in (400, 401, 429, 500, 529)]
        ['invalid', 'authentication', 'rate_limit', 'server', 'overloaded']
        """
        named = {401: "authentication", 403: "authentication", 429: "rate_limit"}
        named |= {503: "overloaded", 529: "overloaded"}
        return named.get(self.status, "server" if self.status >= 500 else "invalid")


@dataclass(frozen=True)
class Step:
    """One turn of the model: text, then deeds, or an error first.

    Attributes
    ----------
    text, deeds
        What is said, then done.
    usage
        Tokens that it is said to have used.
    delay_s, gap_s
        Waited before the first byte, and between the pieces of a stream.
    length
        Whether it is cut off at the output limit.
    error
        Comes in place of it.
    """

    text: str = ""
    deeds: tuple[Deed, ...] = ()
    usage: Usage = PLAYED
    delay_s: float = 0.0
    gap_s: float = 0.0
    length: bool = False
    error: Trouble | None = None


@dataclass(frozen=True)
class Script:
    """What a scripted model says and does.

    Attributes
    ----------
    steps
        In order; a deed may take several turns.
    side
        Answer to requests that offer no tools: titles, summaries and the like.
    toolless
        Whether the agent offers no tools at all (aider): then all requests are turns, and files
        are told whole in the text.
    after_end
        What follows the last step: that step again, or an error.
    """

    steps: tuple[Step, ...] = ()
    side: Step = Step(text="ok")
    toolless: bool = False
    after_end: Literal["repeat", "error"] = "repeat"

    def player(self) -> Player:
        """Begin to play it for one trial."""
        return Player(self)


class Player:
    """A script being played for one trial; knows where its conversation began."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._depths: list[int] = []
        self._asked: dict[int, int] = {}

    def reply(self, wire: Wire, asked: Asked) -> Reply:
        """Answer a request in its wire format.

        Raises
        ------
        NoUsableTool
            When the agent offers no tool for what is to be done.
        """
        if asked.kind == "count":
            return wire.count(PLAYED.input_tokens or 0)
        main = bool(asked.tools) or self.script.toolless
        step, turn = self._at(asked) if main else (self.script.side, None)
        if step.error is not None:
            return _paced(_refused(wire, step.error), step)
        text, calls = (step.text, ()) if turn is None else (turn.text, turn.calls)
        say = Say(text, calls, step.usage, asked.model or "scripted", step.length)
        return _paced(wire.say(asked, say), step)

    def _at(self, asked: Asked) -> tuple[Step, Turn]:
        """Step and turn of the main conversation that a request asks for."""
        at = self._place(asked.depth)
        turns = turns_of(self.script, asked.tools)
        if at >= len(turns) and self.script.after_end == "error":
            return Step(error=Trouble(400, "the script is over")), Turn()
        step, turn = turns[min(at, len(turns) - 1)]
        if at >= len(turns) and any(map(says_done, turn.calls)):
            turn = Turn(turn.text)  # it was told so already, and does not end by that word
        times = self._asked[at] = self._asked.get(at, 0) + 1
        if step.error is not None and times > (step.error.times or times):
            step = replace(step, error=None)
        return step, turn

    def _place(self, depth: int) -> int:
        """Which turn of the main conversation comes after so many of the model's in its history."""
        if not self._depths or (self.script.toolless and depth > max(self._depths)):
            self._depths.append(depth)
        if self.script.toolless:
            # an agent without tools tells itself what came of an edit in the model's name
            return sum(each < depth for each in self._depths)
        # some agents begin with a turn of the model's
        return max(0, depth - self._depths[0])


def turns_of(script: Script, tools: tuple[Tool, ...]) -> list[tuple[Step, Turn]]:
    """Turns that a script takes with an agent's tools, each with its step.

    Raises
    ------
    NoUsableTool
        When the agent offers no tool for what is to be done.
    """
    found = [(step, turn) for step in script.steps for turn in _turns(step, script, tools)]
    return found or [(Step(), Turn(DONE))]


def script_of(
    patch: bytes | None,
    files: Mapping[str, bytes | None],
    answer: str | None,
    *,
    toolless: bool = False,
) -> Script:
    """Make the script of a solution: brings in its change, then gives its answer.

    Parameters
    ----------
    patch
        A patch made by git.
    files
        Final contents of what changes, for agents without a shell; None for what is deleted.
    answer
        The final answer.
    toolless
        Whether the agent offers its model no tools.
    """
    change = (Change(patch, files),) if patch or files else ()
    end = answer or DONE
    if toolless or not change:
        return Script((Step(end, change),), toolless=toolless)
    return Script((Step(deeds=change), Step(end)))


def _paced(reply: Reply, step: Step) -> Reply:
    return replace(reply, delay_s=step.delay_s, gap_s=step.gap_s)


def _refused(wire: Wire, trouble: Trouble) -> Reply:
    reply = wire.refuse(trouble.status, trouble.kind, trouble.message)
    if trouble.retry_after_s is None:
        return reply
    headers = {**reply.headers, "retry-after": f"{trouble.retry_after_s:g}"}
    return replace(reply, headers=headers)


def _turns(step: Step, script: Script, tools: tuple[Tool, ...]) -> list[Turn]:
    if script.toolless:
        return [told(step.text, step.deeds)]
    return done(step.text, step.deeds, tools, ends=not step.length)
