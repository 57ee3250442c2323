"""Answers of Chat Completions, added up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agenteval.gateway.wire.fields import (
    as_map,
    as_text,
    error_in,
    joined,
    maps,
    name_of,
    said_call,
)
from agenteval.gateway.wire.openai import usage_of
from agenteval.gateway.wire.protocol import Answered, ToolCall


class CompletionFold:
    """A completion and its usage; of several choices the first one."""

    delta: re.Pattern[bytes] | None = None

    def __init__(self) -> None:
        self._model: str | None = None
        self._usage: Mapping[str, Any] = {}
        self._stop: str | None = None
        self._text: list[str] = []
        self._calls: dict[Any, dict[str, Any]] = {}
        self._ended = False
        self._error: str | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one chunk; usage may stand in any of them, and the last one counts."""
        self._error = error_in(event) or self._error
        self._take(event, "delta")

    def add(self, found: re.Match[bytes]) -> None:
        """There is no `delta` to match."""

    def whole(self, document: Mapping[str, Any]) -> None:
        """Take a whole completion."""
        self._take(document, "message")

    def done(self) -> None:
        """Take `[DONE]`."""
        self._ended = True

    def answered(self) -> Answered:
        """What it adds up to so far."""
        return Answered(
            model=self._model,
            usage=usage_of(self._usage),
            stop_reason=self._stop,
            calls=tuple(_call(call) for call in self._calls.values()),
            text="".join(self._text),
            complete=(self._ended or self._stop is not None) and self._error is None,
            error=self._error,
        )

    def _take(self, document: Mapping[str, Any], part: str) -> None:
        self._model = name_of(document.get("model")) or self._model
        self._usage = as_map(document.get("usage")) or self._usage
        choices = list(maps(document.get("choices")))
        choice = next((c for c in choices if c.get("index", 0) == 0), None)
        if choice is None:
            return
        self._usage = as_map(choice.get("usage")) or self._usage  # Moonshot
        self._stop = name_of(choice.get("finish_reason")) or self._stop
        said = as_map(choice.get(part))
        content = said.get("content")
        self._text.append(content if isinstance(content, str) else joined(content))
        for at, call in enumerate(maps(said.get("tool_calls"))):
            self._call(at, call)
        if isinstance(said.get("function_call"), dict):  # as it was before tools
            self._call(0, {"function": said["function_call"]})

    def _call(self, at: int, call: Mapping[str, Any]) -> None:
        """Take a call or a piece of one."""
        index = call.get("index")
        index = index if isinstance(index, int) else at
        function = as_map(call.get("function"))
        held = self._calls.setdefault(index, {"name": "", "id": "", "pieces": [], "object": None})
        held["name"] = held["name"] or as_text(function.get("name"))
        held["id"] = held["id"] or as_text(call.get("id"))
        if isinstance(function.get("arguments"), dict):  # Ollama
            held["object"] = function["arguments"]
        held["pieces"].append(as_text(function.get("arguments")))


def _call(held: Mapping[str, Any]) -> ToolCall:
    return said_call(held["name"], held["id"], held["object"] or "".join(held["pieces"]))
