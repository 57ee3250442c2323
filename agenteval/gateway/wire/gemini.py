"""Gemini generateContent, streamed or not, and its count of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any
from urllib.parse import parse_qs

from agenteval.gateway.wire.candidates import CandidateFold
from agenteval.gateway.wire.fields import (
    as_json,
    as_list,
    as_map,
    as_text,
    bits,
    fingerprint,
    maps,
    name_of,
    runs,
    texts_in,
)
from agenteval.gateway.wire.protocol import Asked, Reader, Reply, Say, Tool, Usage
from agenteval.gateway.wire.sse import JSON_HEADERS, BodyReader, json_reply, stream_reply

ACTION = re.compile(
    r"(models/)([^/:?]+)(:(?:generateContent|streamGenerateContent|countTokens))(?=$|\?)"
)
STATUS_NAMES = {
    "limit": "FAILED_PRECONDITION",
    "rate_limit": "RESOURCE_EXHAUSTED",
    "overloaded": "UNAVAILABLE",
    "server": "INTERNAL",
    "authentication": "UNAUTHENTICATED",
    "invalid": "INVALID_ARGUMENT",
}


class Gemini:
    """The format of `/v1beta/models/MODEL:generateContent`.

    `limit` is a 400 `FAILED_PRECONDITION`: Gemini CLI 0.61.0 gives up at the first one, prints the
    message and exits with 144; a 429 it repeats for minutes.
    """

    name = "gemini"
    statuses: Mapping[str, int] = {
        "limit": 400,
        "rate_limit": 429,
        "overloaded": 503,
        "server": 500,
        "authentication": 401,
        "invalid": 400,
    }

    def asks(self, method: str, path: str) -> bool:
        """Whether it is a request to make or count something."""
        return method.upper() == "POST" and ACTION.search(path) is not None

    def read(self, path: str, body: bytes) -> Asked:
        """Read a request; model and stream are in its path, whether it is an array in its query."""
        found = ACTION.search(path)
        document = as_json(body)
        if found is None or not isinstance(document, dict):
            return Asked("other")
        action = found[3]
        stream = action == ":streamGenerateContent"
        # a count holds what it would ask in a request of its own
        asked = as_map(document.get("generateContentRequest")) or document
        contents = list(maps(asked.get("contents")))
        before = takewhile(lambda c: c.get("role") != "model", contents)
        query = parse_qs(path.partition("?")[2])
        return Asked(
            kind="count" if action == ":countTokens" else "generate",
            model=found[2],
            stream=stream,
            tools=tuple(_tools(asked)),
            opening=fingerprint([texts_in(content.get("parts")) for content in before]),
            depth=runs(content.get("role") == "model" for content in contents),
            results=_results(contents),
            array=stream and query.get("alt") != ["sse"],
        )

    def reader(self, asked: Asked, status: int) -> Reader:
        """Make the reader of an answer; a stream's usage is a sum so far."""
        return BodyReader(CandidateFold(counts=asked.kind == "count"), status)

    def say(self, asked: Asked, say: Say) -> Reply:
        """Say something whole, as events, or as the elements of an array."""
        if not asked.stream:
            return json_reply(_response(asked, say, _said(say.text) + _calls(asked, say)))
        pieces = [_response(asked, say, _said(piece), last=False) for piece in bits(say.text)]
        pieces.append(_response(asked, say, _calls(asked, say) or _said("")))
        if not asked.array:
            return stream_reply((None, piece) for piece in pieces)
        texts = [json.dumps(piece, ensure_ascii=False) for piece in pieces]
        chunks = [("[" if at == 0 else ",\r\n") + text for at, text in enumerate(texts)]
        return Reply(
            200, JSON_HEADERS, [chunk.encode("utf-8", "replace") for chunk in (*chunks, "]")]
        )

    def count(self, tokens: int) -> Reply:
        """Answer a count of tokens."""
        return json_reply({"totalTokens": tokens})

    def refuse(self, status: int, kind: str, message: str) -> Reply:
        """Refuse with the `error` document of Google's services."""
        code = status or self.statuses[kind]
        named = STATUS_NAMES.get(kind, "INTERNAL")
        error = {"code": code, "message": message, "status": named}
        return json_reply({"error": error}, status=code)

    def with_model(self, path: str, body: bytes, model: str) -> tuple[str, bytes]:
        """Put another model into the path, and into the body where it is repeated."""
        document = as_json(body)
        inner = as_map(as_map(document).get("generateContentRequest"))
        for holder, rest in ((document, None), (inner, document)):
            if isinstance(holder, dict) and "model" in holder:
                renamed = {**holder, "model": f"models/{model}"}
                if rest is not None:
                    renamed = {**rest, "generateContentRequest": renamed}
                body = json.dumps(renamed).encode()
        return ACTION.sub(lambda found: f"{found[1]}{model}{found[3]}", path, count=1), body

    def turns_in(self, body: bytes) -> Iterator[Mapping[str, Any]]:
        """System instruction and contents."""
        document = as_map(as_json(body))
        document = as_map(document.get("generateContentRequest")) or document
        system = _either(document, "systemInstruction", "system_instruction")
        if system:
            yield {"role": "system", "content": system}
        yield from maps(document.get("contents"))


def _either(document: Mapping[str, Any], camel: str, snake: str) -> Any:
    """Give a field under either of the two spellings that the service takes."""
    return document.get(camel, document.get(snake))


def _tools(asked: Mapping[str, Any]) -> Iterator[Tool]:
    for tool in maps(asked.get("tools")):
        declared = _either(tool, "functionDeclarations", "function_declarations")
        for function in maps(declared):
            schema = _either(function, "parametersJsonSchema", "parameters_json_schema")
            schema = as_map(schema) or as_map(function.get("parameters"))
            yield Tool(as_text(function.get("name")), schema)
        if not as_list(declared):  # a search or a code runner of the provider's
            yield from (Tool(name) for name in tool if isinstance(name, str))


def _results(contents: list[Mapping[str, Any]]) -> tuple[tuple[str, str, bool], ...]:
    """Tool results after the last turn of the model; an error is one by its key."""
    since = list(takewhile(lambda c: c.get("role") != "model", reversed(contents)))
    found = []
    for content in reversed(since):
        for part in maps(content.get("parts")):
            result = as_map(_either(part, "functionResponse", "function_response"))
            if result:
                told = as_map(result.get("response"))
                text = name_of(told.get("output")) or name_of(told.get("error"))
                text = text or json.dumps(told, ensure_ascii=False)
                named = as_text(result.get("id")) or as_text(result.get("name"))
                found.append((named, text, "error" in told))
    return tuple(found)


def _said(text: str) -> list[dict[str, Any]]:
    return [{"text": text}]


def _calls(asked: Asked, say: Say) -> list[dict[str, Any]]:
    made = (
        (call, call.id or fingerprint(asked.opening, asked.depth, at, call.name, length=16))
        for at, call in enumerate(say.calls)
    )
    return [
        {"functionCall": {"id": call_id, "name": call.name, "args": dict(call.input or {})}}
        for call, call_id in made
    ]


def _response(
    asked: Asked, say: Say, parts: list[dict[str, Any]], *, last: bool = True
) -> dict[str, Any]:
    """Make a response or a piece of one; as the service does, the end has reason and usage."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    response: dict[str, Any] = {
        "candidates": [candidate],
        "modelVersion": say.model,
        "responseId": fingerprint(asked.opening, asked.depth, say.text, length=22),
    }
    if last:
        candidate["finishReason"] = "MAX_TOKENS" if say.length else "STOP"
        usage = _usage_fields(say.usage)
        if usage:
            response["usageMetadata"] = usage
    return response


def _usage_fields(usage: Usage) -> dict[str, int]:
    """Write usage as the service does: zeros are left out, and writing to its cache is fresh input."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return {}
    read = usage.cache_read_tokens or 0
    prompt = usage.input_tokens + read + (usage.cache_write_tokens or 0)
    fields = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": usage.output_tokens,
        "totalTokenCount": prompt + usage.output_tokens,
    }
    return fields | ({"cachedContentTokenCount": read} if read else {})
