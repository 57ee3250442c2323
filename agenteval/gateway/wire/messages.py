"""Answers of Anthropic Messages, added up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agenteval.gateway.wire.fields import (
    as_count,
    as_json,
    as_map,
    as_text,
    error_in,
    maps,
    name_of,
    said_call,
)
from agenteval.gateway.wire.protocol import Answered, ToolCall, Usage

# every character of it is spelled out, so nothing that somebody says can look like it
DELTA = re.compile(
    rb'(?:event: content_block_delta\n)?data: \{"type": ?"content_block_delta", ?"index": ?(0|[1-9][0-9]{0,8}), ?'
    rb'"delta": ?\{"type": ?"(?:text_delta", ?"text|input_json_delta", ?"partial_json)": ?'
    rb'"([^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*)"\} *\} *\n\n'
)


class MessageFold:
    """A message and its usage.

    Only tools that the agent runs are calls: `server_tool_use` and `mcp_tool_use` happen at the
    provider. What was thought is no text. A stream opens with a count of output of its own, which is
    not what it came to: until its end tells, that is unknown.

    Parameters
    ----------
    counts
        Whether the request only counts tokens; then nothing is used, and nothing is metered.
    """

    delta: re.Pattern[bytes] | None = DELTA

    def __init__(self, *, counts: bool = False) -> None:
        self._counts = counts
        self._model: str | None = None
        self._usage: dict[str, Any] = {}
        self._metered = False
        self._stop: str | None = None
        self._blocks: dict[Any, dict[str, Any]] = {}
        self._complete = False
        self._error: str | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Take one event of a stream."""
        kind = event.get("type")
        if kind == "content_block_delta":  # almost all are
            delta = as_map(event.get("delta"))
            piece = delta.get("text", delta.get("partial_json"))
            self._piece(_index(event), as_text(piece))
        elif kind == "message_start":
            message = as_map(event.get("message"))
            self._model = name_of(message.get("model")) or self._model
            self._meter(message.get("usage"))
        elif kind == "content_block_start":
            self._blocks[_index(event)] = {**as_map(event.get("content_block")), "pieces": []}
        elif kind == "message_delta":
            self._stop = name_of(as_map(event.get("delta")).get("stop_reason")) or self._stop
            self._meter(event.get("usage"))
            self._metered |= as_count(self._usage.get("output_tokens")) is not None
        elif kind == "message_stop":
            self._complete = True
        elif kind == "error":
            self._error = error_in(event) or "error"

    def add(self, found: re.Match[bytes]) -> None:
        """Take a piece of a text, or of a tool's input."""
        piece: str | None = found[2].decode("utf-8", "replace")
        if b"\\" in found[2]:
            piece = as_json(f'"{piece}"')
        if piece is not None:  # else it is no JSON
            self._piece(int(found[1]), piece)

    def whole(self, document: Mapping[str, Any]) -> None:
        """Take a whole message, or a count."""
        if self._counts:
            self._complete = as_count(document.get("input_tokens")) is not None
            return
        self._model = name_of(document.get("model"))
        self._stop = name_of(document.get("stop_reason"))
        self._meter(document.get("usage"))
        self._metered = True
        for at, block in enumerate(maps(document.get("content"))):
            self._blocks[at] = {**block, "pieces": []}
        self._complete = document.get("type") == "message"

    def done(self) -> None:
        """Some servers of this format say `[DONE]` as well."""

    def answered(self) -> Answered:
        """What it adds up to so far."""
        blocks = list(self._blocks.values())
        usage = usage_of(self._usage)
        return Answered(
            model=self._model,
            usage=usage if self._metered else replace(usage, output_tokens=None),
            stop_reason=self._stop,
            calls=tuple(_call(block) for block in blocks if block.get("type") == "tool_use"),
            text="".join(_text(block) for block in blocks if block.get("type") == "text"),
            complete=self._complete and self._error is None,
            error=self._error,
        )

    def _piece(self, index: Any, piece: str) -> None:
        if index not in self._blocks:
            self._blocks[index] = {"type": "text", "pieces": []}
        self._blocks[index]["pieces"].append(piece)

    def _meter(self, usage: Any) -> None:
        """Take the usage's fields; the last word on each counts, they are sums so far."""
        given = as_map(usage)
        self._usage |= {key: value for key, value in given.items() if value is not None}


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Read four buckets from fields that are disjoint already.

    >>> usage_of({"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 2})
    Usage(input_tokens=5, cache_read_tokens=7, cache_write_tokens=None, output_tokens=2,
        long_cache_write_tokens=None)
    """
    kept = as_map(usage.get("cache_creation"))
    return Usage(
        as_count(usage.get("input_tokens")),
        as_count(usage.get("cache_read_input_tokens")),
        as_count(usage.get("cache_creation_input_tokens")),
        as_count(usage.get("output_tokens")),
        as_count(kept.get("ephemeral_1h_input_tokens")),
    )


def _index(event: Mapping[str, Any]) -> Any:
    index = event.get("index")
    return index if isinstance(index, (int, str)) else 0


def _text(block: Mapping[str, Any]) -> str:
    return as_text(block.get("text")) + "".join(block["pieces"])


def _call(block: Mapping[str, Any]) -> ToolCall:
    told = "".join(block["pieces"])
    return said_call(block.get("name"), block.get("id"), told or block.get("input"))
