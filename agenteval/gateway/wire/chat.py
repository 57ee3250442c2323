"""OpenAI Chat Completions, which most other servers speak as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from agenteval.gateway.wire.completions import CompletionFold
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
from agenteval.gateway.wire.openai import refusal, usage_fields
from agenteval.gateway.wire.protocol import Asked, Reader, Reply, Say, Tool
from agenteval.gateway.wire.requests import is_path, renamed
from agenteval.gateway.wire.sse import BodyReader, json_reply, stream_reply


class Chat:
    """The format of `/v1/chat/completions`.

    `limit` is a 404: mini-swe-agent 2.4.6 gives up at once on a 401 and a 404 and repeats 402, 403 and
    422 for minutes, and a 401 is explained as a wrong key. The SDKs repeat none of them.
    """

    name = "chat"
    statuses: Mapping[str, int] = {
        "limit": 404,
        "rate_limit": 429,
        "overloaded": 503,
        "server": 500,
        "authentication": 401,
        "invalid": 400,
    }

    def asks(self, method: str, path: str) -> bool:
        """Whether it is a request for a completion."""
        return is_path(method, path, "/chat/completions")

    def read(self, path: str, body: bytes) -> Asked:
        """Read a request; what opens the conversation is what users said before the model did."""
        del path
        document = as_json(body)
        if not isinstance(document, dict):
            return Asked("other")
        messages = list(maps(document.get("messages")))
        before = takewhile(lambda m: m.get("role") != "assistant", messages)
        options = as_map(document.get("stream_options"))
        return Asked(
            kind="generate",
            model=name_of(document.get("model")),
            stream=document.get("stream") is True,
            tools=_tools(document),
            opening=fingerprint(
                [texts_in(m.get("content")) for m in before if m.get("role") == "user"]
            ),
            depth=runs(m.get("role") == "assistant" for m in messages),
            results=_results(messages),
            usage_asked=options.get("include_usage") is True,
        )

    def reader(self, asked: Asked, status: int) -> Reader:
        """Make the reader of an answer; a stream tells its usage in its last chunk, if at all."""
        del asked
        return BodyReader(CompletionFold(), status)

    def say(self, asked: Asked, say: Say) -> Reply:
        """Say something as a completion or the chunks of one."""
        calls = [
            {
                "id": call.id or f"call_{fingerprint(asked.opening, asked.depth, at, call.name)}",
                "type": "function",
                "function": {"name": call.name, "arguments": as_arguments(call.input)},
            }
            for at, call in enumerate(say.calls)
        ]
        head = {
            "id": f"chatcmpl-{fingerprint(asked.opening, asked.depth, say.text)}",
            "object": "chat.completion.chunk" if asked.stream else "chat.completion",
            "created": 0,
            "model": say.model,
        }
        finish = "length" if say.length else "tool_calls" if calls else "stop"
        usage = usage_fields(say.usage, "prompt_tokens", "completion_tokens")
        if asked.stream:
            wanted = usage if asked.usage_asked else None
            return stream_reply(_chunks(head, say.text, calls, finish, wanted))
        message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        return json_reply({**head, "choices": [choice], **({"usage": usage} if usage else {})})

    def count(self, tokens: int) -> Reply:
        """Say that there is no such request in this format."""
        return self.refuse(404, "invalid", f"nothing to count {tokens} tokens with")

    def refuse(self, status: int, kind: str, message: str) -> Reply:
        """Refuse with the `error` document of OpenAI."""
        return refusal(status or self.statuses[kind], kind, message)

    def with_model(self, path: str, body: bytes, model: str) -> tuple[str, bytes]:
        """Put another model into the body."""
        return path, renamed(body, model)

    def turns_in(self, body: bytes) -> Iterator[Mapping[str, Any]]:
        """Messages, those of the system included."""
        yield from maps(as_map(as_json(body)).get("messages"))


def _tools(document: Mapping[str, Any]) -> tuple[Tool, ...]:
    functions = [as_map(tool.get("function")) for tool in maps(document.get("tools"))]
    functions += maps(document.get("functions"))  # as it was before tools
    return tuple(
        Tool(as_text(function.get("name")), as_map(function.get("parameters")))
        for function in functions
        if function.get("name")
    )


def _results(messages: list[Mapping[str, Any]]) -> tuple[tuple[str, str, bool], ...]:
    """Tool results after the last turn of the model; the format does not mark errors."""
    since = list(takewhile(lambda m: m.get("role") != "assistant", reversed(messages)))
    return tuple(
        (as_text(message.get("tool_call_id")), joined(message.get("content")), False)
        for message in reversed(since)
        if message.get("role") == "tool"
    )


def _chunks(
    head: Mapping[str, Any],
    text: str,
    calls: list[dict[str, Any]],
    finish: str,
    usage: Mapping[str, Any] | None,
) -> Iterator[tuple[None, Any]]:
    def chunk(delta: Mapping[str, Any], ended: str | None = None) -> tuple[None, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": ended}
        return None, {**head, "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in bits(text):
        yield chunk({"content": piece})
    for at, call in enumerate(calls):
        function = call["function"]
        begun = {**call, "index": at, "function": {**function, "arguments": ""}}
        yield chunk({"tool_calls": [begun]})
        for piece in bits(function["arguments"]):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
    yield chunk({}, finish)
    if usage:
        yield None, {**head, "choices": [], "usage": usage}
    yield None, "[DONE]"
