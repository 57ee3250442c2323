"""Answers of Gemini, added up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agenteval.gateway.wire.fields import (
    as_count,
    as_map,
    as_text,
    error_in,
    maps,
    name_of,
    rest_of,
    said_call,
    sum_of,
)
from agenteval.gateway.wire.protocol import Answered, ToolCall, Usage


class CandidateFold:
    """A response and its usage; of several candidates the first one. Thoughts are no text.

    Parameters
    ----------
    counts
        Whether the request only counts tokens; then nothing is used, and nothing is metered.
    """

    delta: re.Pattern[bytes] | None = None

    def __init__(self, *, counts: bool = False) -> None:
        self._counts = counts
        self._model: str | None = None
        self._usage: dict[str, Any] = {}
        self._stop: str | None = None
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._ended = False
        self._error: str | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one piece of a stream."""
        self._error = error_in(event) or self._error
        self.whole(event)

    def add(self, found: re.Match[bytes]) -> None:
        """There is no `delta` to match."""

    def whole(self, document: Mapping[str, Any]) -> None:
        """Take a whole response, or a count."""
        if self._counts:
            self._ended = as_count(document.get("totalTokens")) is not None
            return
        self._model = name_of(document.get("modelVersion")) or self._model
        self._usage |= as_map(document.get("usageMetadata"))
        blocked = name_of(as_map(document.get("promptFeedback")).get("blockReason"))
        candidates = list(maps(document.get("candidates")))
        candidate = next((c for c in candidates if c.get("index", 0) == 0), {})
        for part in maps(as_map(candidate.get("content")).get("parts")):
            self._part(part)
        stop = name_of(candidate.get("finishReason")) or blocked
        if stop and stop != "FINISH_REASON_UNSPECIFIED":
            self._stop, self._ended = stop, True

    def done(self) -> None:
        """The service says no `[DONE]`."""

    def answered(self) -> Answered:
        """What it adds up to so far."""
        return Answered(
            model=self._model,
            usage=usage_of(self._usage),
            stop_reason=self._stop,
            calls=tuple(self._calls),
            text="".join(self._text),
            complete=self._ended and self._error is None,
            error=self._error,
        )

    def _part(self, part: Mapping[str, Any]) -> None:
        call = part.get("functionCall")
        if isinstance(call, dict):
            made = said_call(call.get("name"), call.get("id"), call.get("args"))
            self._calls.append(made)
        elif part.get("thought") is not True:
            self._text.append(as_text(part.get("text")))


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Read four buckets: cached tokens are inside the prompt, thoughts outside the candidates.

    The service leaves zeros out, so a count that is missing beside a prompt's is zero. What its own
    tools added to the prompt is input too. Writing to its cache has no count and no price of its own.

    >>> usage_of({"promptTokenCount": 100, "cachedContentTokenCount": 30, "thoughtsTokenCount": 5,
    ...           "candidatesTokenCount": 20, "toolUsePromptTokenCount": 8})
    Usage(input_tokens=78, cache_read_tokens=30, cache_write_tokens=0, output_tokens=25,
        long_cache_write_tokens=None)
    """
    prompt = as_count(usage.get("promptTokenCount"))
    if prompt is None:
        return Usage()
    read = as_count(usage.get("cachedContentTokenCount")) or 0
    fresh = rest_of(prompt, read)
    if fresh is not None:
        fresh += as_count(usage.get("toolUsePromptTokenCount")) or 0
    output = sum_of(
        as_count(usage.get("candidatesTokenCount")), as_count(usage.get("thoughtsTokenCount"))
    )
    return Usage(fresh, read, 0, output or 0)
