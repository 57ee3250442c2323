"""Anthropic Messages, and its count of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from agenteval.gateway.wire.fields import (
    as_arguments,
    as_json,
    as_map,
    as_text,
    bits,
    fingerprint,
    joined,
    maps,
    name_of,
    runs,
    texts_in,
)
from agenteval.gateway.wire.messages import MessageFold
from agenteval.gateway.wire.protocol import Asked, Reader, Reply, Say, Tool
from agenteval.gateway.wire.requests import is_path, renamed
from agenteval.gateway.wire.sse import BodyReader, json_reply, stream_reply


class Anthropic:
    """The format of `/v1/messages`.

    `limit` is a 402 `billing_error`: Claude Code 2.1.332 gives up at the first one and prints the
    message; to a 400 `invalid_request_error` it sends six requests, a 404 it explains as a wrong
    model name, a 403 as a failed login.
    """

    name = "anthropic"
    statuses: Mapping[str, int] = {
        "limit": 402,
        "rate_limit": 429,
        "overloaded": 529,
        "server": 500,
        "authentication": 401,
        "invalid": 400,
    }

    def asks(self, method: str, path: str) -> bool:
        """Whether it is a request for a message or a count of its tokens."""
        return is_path(method, path, "/v1/messages") or self._counts(path, method)

    def read(self, path: str, body: bytes) -> Asked:
        """Read a request; the system prompt is no part of how a conversation opens."""
        document = as_json(body)
        if not isinstance(document, dict):
            return Asked("other")
        messages = list(maps(document.get("messages")))
        before = takewhile(lambda m: m.get("role") != "assistant", messages)
        return Asked(
            kind="count" if self._counts(path) else "generate",
            model=name_of(document.get("model")),
            stream=document.get("stream") is True,
            tools=tuple(
                Tool(as_text(tool.get("name")), as_map(tool.get("input_schema")))
                for tool in maps(document.get("tools"))
            ),
            opening=fingerprint([texts_in(m.get("content")) for m in before]),
            depth=runs(m.get("role") == "assistant" for m in messages),
            results=_results(messages),
        )

    def reader(self, asked: Asked, status: int) -> Reader:
        """Make the reader of an answer; the usage of a stream is what its last word on it says."""
        return BodyReader(MessageFold(counts=asked.kind == "count"), status)

    def say(self, asked: Asked, say: Say) -> Reply:
        """Say something as a message or the events of one."""
        message = _message(asked, say)
        return stream_reply(_events(message)) if asked.stream else json_reply(message)

    def count(self, tokens: int) -> Reply:
        """Answer a count of tokens."""
        return json_reply({"input_tokens": tokens})

    def refuse(self, status: int, kind: str, message: str) -> Reply:
        """Refuse with the `error` document of the format."""
        named = {
            "limit": "billing_error",
            "rate_limit": "rate_limit_error",
            "overloaded": "overloaded_error",
            "server": "api_error",
            "authentication": "authentication_error",
            "invalid": "invalid_request_error",
        }
        error = {"type": named.get(kind, "api_error"), "message": message}
        document = {"type": "error", "error": error, "request_id": f"req_{fingerprint(message)}"}
        more = {"x_should_retry": "false"} if kind == "limit" else {}
        return json_reply(document, status=status or self.statuses[kind], **more)

    def with_model(self, path: str, body: bytes, model: str) -> tuple[str, bytes]:
        """Put another model into the body."""
        return path, renamed(body, model)

    def turns_in(self, body: bytes) -> Iterator[Mapping[str, Any]]:
        """System prompt and messages, without the marks of what to cache: those move."""
        document = as_map(as_json(body))
        if document.get("system"):
            yield {"role": "system", "content": _unmarked(document["system"])}
        for message in maps(document.get("messages")):
            yield _unmarked(message)

    @staticmethod
    def _counts(path: str, method: str = "POST") -> bool:
        return is_path(method, path, "/v1/messages/count_tokens")


def _results(messages: list[Mapping[str, Any]]) -> tuple[tuple[str, str, bool], ...]:
    """Tool results after the last turn of the model."""
    since = list(takewhile(lambda m: m.get("role") != "assistant", reversed(messages)))
    return tuple(
        (
            as_text(part.get("tool_use_id")),
            joined(part.get("content")),
            part.get("is_error") is True,
        )
        for message in reversed(since)
        for part in maps(message.get("content"))
        if part.get("type") == "tool_result"
    )


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [_unmarked(item) for item in value] if isinstance(value, list) else value


def _message(asked: Asked, say: Say) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": say.text}] if say.text else []
    for at, call in enumerate(say.calls):
        made = f"toolu_{fingerprint(asked.opening, asked.depth, at, call.name)}"
        content.append(
            {
                "type": "tool_use",
                "id": call.id or made,
                "name": call.name,
                "input": dict(call.input or {}),
            }
        )
    stop = "max_tokens" if say.length else "tool_use" if say.calls else "end_turn"
    return {
        "id": f"msg_{fingerprint(asked.opening, asked.depth, say.text)}",
        "type": "message",
        "role": "assistant",
        "model": say.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": say.usage.input_tokens,
            "cache_creation_input_tokens": say.usage.cache_write_tokens,
            "cache_read_input_tokens": say.usage.cache_read_tokens,
            "output_tokens": say.usage.output_tokens,
        },
    }


def _events(message: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Tell a message as a stream does: usage at both ends, blocks piece by piece."""

    def event(kind: str, **fields: Any) -> tuple[str, Any]:
        return kind, {"type": kind, **fields}

    usage = message["usage"]
    opening = {**message, "content": [], "stop_reason": None}
    yield event("message_start", message={**opening, "usage": {**usage, "output_tokens": 1}})
    for index, block in enumerate(message["content"]):
        called = block["type"] == "tool_use"
        empty = {**block, "input": {}} if called else {"type": "text", "text": ""}
        yield event("content_block_start", index=index, content_block=empty)
        for piece in bits(as_arguments(block["input"]) if called else block["text"]):
            delta = (
                {"type": "input_json_delta", "partial_json": piece}
                if called
                else {"type": "text_delta", "text": piece}
            )
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ended, usage=usage)
    yield event("message_stop")
