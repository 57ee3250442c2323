"""Wire formats: Anthropic Messages, OpenAI Chat Completions and Responses, Gemini. One file each."""

from __future__ import annotations

from agenteval.gateway.wire.anthropic import Anthropic
from agenteval.gateway.wire.chat import Chat
from agenteval.gateway.wire.gemini import Gemini
from agenteval.gateway.wire.protocol import Wire
from agenteval.gateway.wire.responses import Responses

WIRES: tuple[Wire, ...] = (Anthropic(), Chat(), Responses(), Gemini())


def wire_for(method: str, path: str) -> Wire | None:
    """Wire format of a request by its path; None for requests of none of them.

    >>> wire_for("POST", "/v1/messages?beta=true").name
    'anthropic'
    >>> wire_for("GET", "/v1/models") is None
    True
    """
    return next((wire for wire in WIRES if wire.asks(method, path)), None)


__all__ = ["WIRES", "wire_for"]
