"""Answers of OpenAI Responses, added up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agenteval.gateway.wire.fields import (
    as_count,
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

ENDS = ("response.completed", "response.incomplete", "response.failed")
CALLED_WITH = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
}


class ResponseFold:
    """A response and its usage.

    Items are kept as each of them is done; the last event's own list of them, where it has one,
    takes their place. Calls that run at the provider (web search and the like) are none of the
    agent's.

    Parameters
    ----------
    counts
        Whether the request only counts tokens; then nothing is used, and nothing is metered.
    """

    delta: re.Pattern[bytes] | None = None

    def __init__(self, *, counts: bool = False) -> None:
        self._counts = counts
        self._response: Mapping[str, Any] = {}
        self._items: dict[Any, Mapping[str, Any]] = {}
        self._deltas: list[str] = []
        self._ended = False
        self._error: str | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event of a stream."""
        kind = event.get("type")
        if kind in ("response.created", "response.in_progress"):
            self._response = as_map(event.get("response")) or self._response
        elif kind == "response.output_text.delta":
            self._deltas.append(as_text(event.get("delta")))
        elif kind == "response.output_item.done":
            index = event.get("output_index")
            at = index if isinstance(index, int) else len(self._items)
            self._items[at] = as_map(event.get("item"))
        elif kind in ENDS:
            self._end(as_map(event.get("response")))
        elif kind == "error":
            self._error = error_in(event) or name_of(event.get("message")) or "error"

    def add(self, found: re.Match[bytes]) -> None:
        """There is no `delta` to match."""

    def whole(self, document: Mapping[str, Any]) -> None:
        """Take a whole response, or a count."""
        if self._counts:
            self._ended = as_count(document.get("input_tokens")) is not None
        else:
            self._end(document)

    def done(self) -> None:
        """Some servers of this format say `[DONE]` as well."""

    def answered(self) -> Answered:
        """What it adds up to so far."""
        items = [self._items[at] for at in sorted(self._items)]
        said = [joined(item.get("content")) for item in items if item.get("type") == "message"]
        return Answered(
            model=name_of(self._response.get("model")),
            usage=usage_of(as_map(self._response.get("usage"))),
            stop_reason=self._stop(),
            calls=tuple(_call(item) for item in items if as_text(item.get("type")) in CALLED_WITH),
            text="".join(said) or "".join(self._deltas),
            complete=self._ended and self._error is None,
            error=self._error,
        )

    def _end(self, response: Mapping[str, Any]) -> None:
        self._response = {**self._response, **response}
        output = list(maps(response.get("output")))
        if output:
            self._items = dict(enumerate(output))
        status = response.get("status")
        self._ended = status in ("completed", "incomplete", "failed")
        if status == "failed" and self._error is None:
            self._error = error_in(response) or "response failed"

    def _stop(self) -> str | None:
        """Why it ended: what cut it off, else its status."""
        if not self._ended or self._counts:
            return None
        details = as_map(self._response.get("incomplete_details"))
        return name_of(details.get("reason")) or name_of(self._response.get("status"))


def _call(item: Mapping[str, Any]) -> ToolCall:
    kind = item["type"]
    name = item.get("name") or ("local_shell" if kind == "local_shell_call" else "")
    given = item.get(CALLED_WITH[kind])
    if kind == "custom_tool_call":
        return ToolCall(as_text(name), as_text(item.get("call_id")), None, as_text(given))
    return said_call(name, item.get("call_id"), given)
