"""Usage as litellm passes it on: the provider's own, or none; a guess of litellm's is not passed on."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

# litellm's guesses are switched off and come out as zeros; no request has an empty input
INPUTS = ("prompt_tokens", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
RAISED = re.compile(r"litellm\.(?!MidStreamFallbackError)(\w+)")
CODE = re.compile(r'"code"\s*:\s*([45]\d\d)\b')  # of Google's error document
STATUS_OF = {
    "BadRequestError": 400, "ContextWindowExceededError": 400, "AuthenticationError": 401,
    "PermissionDeniedError": 403, "NotFoundError": 404, "RateLimitError": 429, "Timeout": 504,
    "InternalServerError": 500, "ServiceUnavailableError": 503,
}  # fmt: skip


class FailedInStream(Exception):
    """An error that litellm put into a stream before anything of the model's was in it.

    Attributes
    ----------
    status_code
        Status that it stands for.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        code, found = CODE.search(message), RAISED.search(message)
        named = STATUS_OF.get(found[1] if found else "", 500)
        self.status_code = named if code is None else int(code[1])


def told_usage(usage: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Usage that a provider told; None where it told none.

    >>> told_usage({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}) is None
    True
    """
    known = usage is not None and any(usage.get(name) for name in INPUTS)
    return dict(usage) if usage is not None and known else None


def with_cache_counts(usage: dict[str, Any], wire: str) -> dict[str, Any]:
    """Usage that says 0 where a provider that counts its cache left out what was none.

    >>> with_cache_counts({"prompt_tokens": 9}, "chat")
    {'prompt_tokens': 9, 'prompt_tokens_details': {'cached_tokens': 0}}
    >>> with_cache_counts({"input_tokens": 9, "cache_read_input_tokens": 2}, "anthropic")
    {'cache_creation_input_tokens': 0, 'cache_read_input_tokens': 2, 'input_tokens': 9}
    """
    if wire == "anthropic":
        return {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, **usage}
    name = "prompt_tokens_details" if wire == "chat" else "input_tokens_details"
    return {**usage, name: {"cached_tokens": 0, **(usage.get(name) or {})}}


def with_told_usage(document: dict[str, Any], wire: str) -> dict[str, Any]:
    """A whole answer, or an event, whose usage is the provider's.

    Parameters
    ----------
    wire
        `chat`, `anthropic` or `responses`.

    >>> with_told_usage({"type": "message_delta", "usage": {"output_tokens": 9}}, "anthropic")
    {'type': 'message_delta', 'usage': {'output_tokens': 9}}
    """
    for name in ("response", "message"):  # of an event of Responses, or of Messages
        if isinstance(inner := document.get(name), dict):
            return {**document, name: with_told_usage(inner, wire)}
    usage = document.get("usage")
    if not isinstance(usage, dict) or not any(name in usage for name in INPUTS):
        return document  # none, or the output alone, which only Claude itself says
    told = told_usage(usage)
    if told is not None:
        return {**document, "usage": with_cache_counts(told, wire)}
    rest = {name: value for name, value in document.items() if name != "usage"}
    return (
        {**rest, "usage": {}} if wire == "anthropic" else rest
    )  # its clients look into it unasked


async def settled(events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Events of Messages, the first of them only when it is sure that there is an answer.

    litellm begins a stream of its own before it asks some providers; what they refuse comes in it.

    Raises
    ------
    FailedInStream
        When the second event is an error.
    """
    first: bytes | None = None
    begun = False
    async for event in events:
        if first is None and not begun and b'"message_start"' in event:
            first = event
            continue
        if not begun and event.startswith(b"event: error"):
            raise FailedInStream(_message(event))
        if first is not None:
            yield _with_usage(first)
            first = None
        begun = True
        yield _with_usage(event) if event.startswith(b"event: message_delta") else event
    if first is not None:
        yield _with_usage(first)


def _with_usage(event: bytes) -> bytes:
    document = _data(event)
    if not isinstance(document, dict):
        return event
    data = json.dumps(with_told_usage(document, "anthropic"), ensure_ascii=False)
    return event.partition(b"data:")[0] + b"data: " + data.encode("utf-8", "replace") + b"\n\n"


def _message(event: bytes) -> str:
    document = _data(event)
    error = document.get("error") if isinstance(document, dict) else None
    return (
        str(error.get("message")) if isinstance(error, dict) else "the stream began with an error"
    )


def _data(event: bytes) -> Any:
    try:
        return json.loads(event.partition(b"data:")[2])
    except ValueError:
        return None
