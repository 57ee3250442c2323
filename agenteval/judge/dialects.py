"""The two shapes of API that are spoken without any library: OpenAI's and Anthropic's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}, "reasoning": {"type": "string"}},
    "required": ["score", "reasoning"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Reply:
    """What came back.

    Attributes
    ----------
    text
        The reply; empty when the model said nothing.
    refused
        Whether the model or its provider's filter declined.
    model
        Model that answered, as the provider says.
    input_tokens, output_tokens
        As the provider counted; None when it did not.
    cost_usd
        None when no price is known.
    """

    text: str
    refused: bool = False
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Request:
    """One question.

    Attributes
    ----------
    model
        Name as the provider knows it.
    structured
        Ask for the reply by JSON schema.
    """

    model: str
    system: str
    user: str
    max_output_tokens: int
    temperature: float | None = None
    structured: bool = False


@dataclass(frozen=True)
class Dialect:
    """How one API is spoken.

    Attributes
    ----------
    path
        Below the base URL.
    headers
        From the key.
    body
        From the question.
    read
        From the object that came back; raises KeyError, IndexError, TypeError or ValueError when it
        is no reply.
    """

    path: str
    headers: Callable[[str | None], dict[str, str]]
    body: Callable[[Request], dict[str, Any]]
    read: Callable[[dict[str, Any]], Reply]


def _openai_body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "max_tokens": request.max_output_tokens,
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.structured:
        schema = {"name": "judgment", "strict": True, "schema": SCHEMA}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _openai_read(data: dict[str, Any]) -> Reply:
    choice = data["choices"][0]
    message = choice["message"]
    usage = data.get("usage") or {}
    declined = message.get("refusal")
    return Reply(
        text=_text(declined or message.get("content")),
        refused=bool(declined) or choice.get("finish_reason") == "content_filter",
        model=_name(data.get("model")),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def _anthropic_body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "system": request.system,
        "messages": [{"role": "user", "content": request.user}],
        "max_tokens": request.max_output_tokens,
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def _anthropic_read(data: dict[str, Any]) -> Reply:
    blocks = data["content"]
    usage = data.get("usage") or {}
    parts = [
        usage.get(name)
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    ]
    return Reply(
        text="".join(_text(block["text"]) for block in blocks if block.get("type") == "text"),
        refused=data.get("stop_reason") == "refusal",
        model=_name(data.get("model")),
        input_tokens=None if _count(parts[0]) is None else sum(_count(part) or 0 for part in parts),
        output_tokens=_count(usage.get("output_tokens")),
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value)
    if not isinstance(value, str):
        raise TypeError("the reply is no text")
    return value


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


DIALECTS: dict[str, Dialect] = {
    "openai": Dialect(
        "/chat/completions",
        lambda key: {"Authorization": f"Bearer {key}"} if key else {},
        _openai_body,
        _openai_read,
    ),
    "anthropic": Dialect(
        "/messages",
        lambda key: {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})},
        _anthropic_body,
        _anthropic_read,
    ),
}
