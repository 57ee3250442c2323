"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, takewhile
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
from agenteval.gateway.wire.items import ResponseFold
from agenteval.gateway.wire.openai import refusal, usage_fields
from agenteval.gateway.wire.protocol import Asked, Reader, Reply, Say, Tool
from agenteval.gateway.wire.requests import is_path, renamed
from agenteval.gateway.wire.sse import BodyReader, json_reply, stream_reply

Json = dict[str, Any]


class Responses:
    """The format of `/v1/responses`.

    `limit` is a 400: Codex 0.171.0 gives up at the first one and prints the message; 401, 402, 403,
    404 and 422 it sends six times, and for a 429 it prints words of its own.
    """

    name = "responses"
    statuses: Mapping[str, int] = {
        "limit": 400,
        "rate_limit": 429,
        "overloaded": 503,
        "server": 500,
        "authentication": 401,
        "invalid": 400,
    }

    def asks(self, method: str, path: str) -> bool:
        """Whether it is a request for a response or a count of its tokens."""
        return is_path(method, path, "/responses") or self._counts(path, method)

    def read(self, path: str, body: bytes) -> Asked:
        """Read a request; what the model said are messages, calls and reasoning."""
        document = as_json(body)
        if not isinstance(document, dict):
            return Asked("other")
        items = _items(document)
        before = takewhile(lambda item: not _of_model(item), items)
        return Asked(
            kind="count" if self._counts(path) else "generate",
            model=name_of(document.get("model")),
            stream=document.get("stream") is True,
            tools=tuple(_tools(document.get("tools"))),
            opening=fingerprint(
                [texts_in(i.get("content")) for i in before if i.get("role") == "user"]
            ),
            depth=runs(_of_model(item) for item in items),
            results=_results(items),
        )

    def reader(self, asked: Asked, status: int) -> Reader:
        """Make the reader of an answer; its last event holds the usage."""
        return BodyReader(ResponseFold(counts=asked.kind == "count"), status)

    def say(self, asked: Asked, say: Say) -> Reply:
        """Say something as a response or the events of one."""
        response = _response(asked, say)
        return stream_reply(_events(response)) if asked.stream else json_reply(response)

    def count(self, tokens: int) -> Reply:
        """Answer a count of tokens."""
        return json_reply({"object": "response.input_tokens", "input_tokens": tokens})

    def refuse(self, status: int, kind: str, message: str) -> Reply:
        """Refuse with the `error` document of OpenAI."""
        return refusal(status or self.statuses[kind], kind, message)

    def with_model(self, path: str, body: bytes, model: str) -> tuple[str, bytes]:
        """Put another model into the body."""
        return path, renamed(body, model)

    def turns_in(self, body: bytes) -> Iterator[Mapping[str, Any]]:
        """Instructions and items."""
        document = as_map(as_json(body))
        if document.get("instructions"):
            yield {"role": "system", "content": document["instructions"]}
        yield from _items(document)

    @staticmethod
    def _counts(path: str, method: str = "POST") -> bool:
        return is_path(method, path, "/responses/input_tokens")


def _items(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = document.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    return list(maps(given))


def _of_model(item: Mapping[str, Any]) -> bool:
    """Whether an item is of the model's making: its messages, its calls, its reasoning."""
    kind = as_text(item.get("type"))
    return item.get("role") == "assistant" or kind == "reasoning" or kind.endswith("_call")


def _tools(tools: Any) -> Iterator[Tool]:
    for tool in maps(tools):
        if tool.get("type") == "namespace":  # Codex groups the tools of a server
            yield from _tools(tool.get("tools"))
        else:
            name = as_text(tool.get("name")) or as_text(tool.get("type"))
            yield Tool(name, as_map(tool.get("parameters")))


def _results(items: list[Mapping[str, Any]]) -> tuple[tuple[str, str, bool], ...]:
    """Tool results after the last turn of the model; the format does not mark errors."""
    since = list(takewhile(lambda item: not _of_model(item), reversed(items)))
    return tuple(
        (as_text(item.get("call_id")), joined(item.get("output")), False)
        for item in reversed(since)
        if as_text(item.get("type")).endswith("_call_output")
    )


def _response(asked: Asked, say: Say) -> Json:
    """Make a whole response; a call without a JSON object is one of a custom tool."""
    marks = (asked.opening, asked.depth)
    output: list[Json] = []
    if say.text:
        part = {"type": "output_text", "text": say.text, "annotations": [], "logprobs": []}
        output.append(
            {
                "id": f"msg_{fingerprint(*marks, say.text)}",
                "type": "message",
                "status": "incomplete" if say.length else "completed",
                "role": "assistant",
                "content": [part],
            }
        )
    for at, call in enumerate(say.calls):
        made = fingerprint(*marks, at, call.name)
        head = {"call_id": call.id or f"call_{made}", "name": call.name, "status": "completed"}
        if call.input is None:
            output.append(
                {"id": f"ctc_{made}", "type": "custom_tool_call", "input": call.raw, **head}
            )
        else:
            arguments = as_arguments(call.input)
            output.append(
                {"id": f"fc_{made}", "type": "function_call", "arguments": arguments, **head}
            )
    return {
        "id": f"resp_{fingerprint(*marks, say.text, len(output))}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if say.length else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if say.length else None,
        "instructions": None,
        "metadata": {},
        "model": say.model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage_fields(say.usage, "input_tokens", "output_tokens"),
    }


def _events(response: Json) -> Iterator[tuple[str, Any]]:
    """Tell a response as a stream does, item by item."""
    number = count()

    def event(kind: str, **fields: Any) -> tuple[str, Any]:
        return kind, {"type": kind, "sequence_number": next(number), **fields}

    opening = {**response, "status": "in_progress", "output": [], "usage": None}
    opening["incomplete_details"] = None
    yield event("response.created", response=opening)
    yield event("response.in_progress", response=opening)
    for index, item in enumerate(response["output"]):
        at = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            part = item["content"][0]
            begun = {**item, "status": "in_progress", "content": []}
            yield event("response.output_item.added", output_index=index, item=begun)
            at["content_index"] = 0
            yield event("response.content_part.added", **at, part={**part, "text": ""})
            for piece in bits(part["text"]):
                yield event("response.output_text.delta", **at, delta=piece, logprobs=[])
            yield event("response.output_text.done", **at, text=part["text"], logprobs=[])
            yield event("response.content_part.done", **at, part=part)
        else:
            field = "arguments" if item["type"] == "function_call" else "input"
            stem = f"response.{item['type']}_{field}"
            begun = {**item, "status": "in_progress", field: ""}
            yield event("response.output_item.added", output_index=index, item=begun)
            for piece in bits(item[field]):
                yield event(f"{stem}.delta", **at, delta=piece)
            yield event(f"{stem}.done", **at, **{field: item[field]})
        yield event("response.output_item.done", output_index=index, item=item)
    yield event(f"response.{response['status']}", response=response)
