"""Usage in streams of Chat Completions, for agents that do not ask for it."""

from __future__ import annotations

import json
import re

from agenteval.gateway.wire.protocol import Asked, Wire

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END = 4


def wants_usage(wire: Wire, asked: Asked) -> bool:
    """Whether the gateway has to ask for the usage that an agent did not ask for."""
    return wire.name == "chat" and asked.stream and not asked.usage_asked


def with_usage(body: bytes) -> bytes:
    """The same request, asking for usage.

    >>> with_usage(b'{"stream": true}')
    b'{"stream": true, "stream_options": {"include_usage": true}}'
    """
    document = json.loads(body)
    options = document.get("stream_options")
    options = {**(options if isinstance(options, dict) else {}), "include_usage": True}
    # escaped: half a character, cut off by a program, has no other bytes
    return json.dumps({**document, "stream_options": options}).encode()


class UsageHidden:
    r"""Takes out of a stream the one event that the agent did not ask for: it holds usage only.

    Some agents fail on an event without choices. Everything else stays the same, byte for byte.

    >>> hidden = UsageHidden()
    >>> hidden.feed(b'data: {"choices": [1]}\n\nda'), hidden.feed(b'ta: {"choices": [], "usage": {}}\n\ndata: [DONE]\n\n'), hidden.rest()
    (b'data: {"choices": [1]}\n\n', b'data: [DONE]\n\n', b'')
    """

    def __init__(self) -> None:
        self._waiting, self._looked = bytearray(), 0

    def feed(self, chunk: bytes) -> bytes:
        """What of the stream is sure by now and the agent's to see."""
        self._waiting += chunk
        at, kept = 0, []
        while found := _END.search(self._waiting, max(at, self._looked - _LONGEST_END + 1)):
            event = bytes(self._waiting[at : found.end()])
            at = self._looked = found.end()
            if not _is_usage(event):
                kept.append(event)
        del self._waiting[:at]
        self._looked = len(self._waiting)
        return b"".join(kept)

    def rest(self) -> bytes:
        """What is left when the stream has ended."""
        rest, self._waiting = bytes(self._waiting), bytearray()
        return b"" if _is_usage(rest) else rest


def _is_usage(event: bytes) -> bool:
    if b'"usage"' not in event:
        return False
    try:
        document = json.loads(event.partition(b"data:")[2])
    except ValueError:
        return False
    if not isinstance(document, dict) or document.get("choices") != []:
        return False
    return isinstance(document.get("usage"), dict)
