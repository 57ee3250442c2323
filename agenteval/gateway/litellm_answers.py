"""Asks litellm in each wire format, and writes what it gives in the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from agenteval.gateway.litellm_requests import NotForwarded, options_of
from agenteval.gateway.litellm_usage import settled, with_told_usage
from agenteval.gateway.wire.protocol import Asked
from agenteval.gateway.wire.sse import EventStream

LONGEST_S = 3600.0  # the gateway itself gives up on a provider that is silent
# once and only once: the gateway tries again, for all trials together
ONCE: Mapping[str, Any] = {
    "num_retries": 0,
    "max_retries": 0,
    "timeout": LONGEST_S,
    "drop_params": True,
}
TOLD_TO_PROVIDER = ("anthropic-beta",)
Answered = bytes | AsyncIterator[bytes]


class CountRefused(Exception):
    """A provider refused to count tokens.

    Attributes
    ----------
    status_code
        Status that it answered; 400 where it is not known.
    """

    def __init__(self, message: str, status_code: int | None) -> None:
        super().__init__(message)
        self.status_code = status_code or 400


@dataclass(frozen=True)
class Question:
    """One request of an agent.

    Attributes
    ----------
    wire
        Name of its wire format.
    asked
        What is understood of it.
    document
        Its body.
    headers
        Its headers, in small letters.
    model
        `provider/name` in litellm's words.
    environ
        Names another address of the service, if there is one.
    """

    wire: str
    asked: Asked
    document: Mapping[str, Any]
    headers: Mapping[str, str]
    model: str
    environ: Mapping[str, str]


async def answer(library: Any, question: Question) -> Answered:
    """Ask, and give the answer's body: whole, or as the events of a stream.

    Raises
    ------
    NotForwarded
        When the request is not one that can be handed on.
    """
    options = options_of(
        question.wire, question.document, model=question.model, environ=question.environ
    )
    if question.asked.kind == "count":
        return await _count(library, question, options)
    options |= ONCE
    betas = {name: question.headers[name] for name in TOLD_TO_PROVIDER if name in question.headers}
    if betas:
        options["extra_headers"] = betas
    if question.wire == "gemini":
        return await _gemini(library, question, options)
    if question.wire == "anthropic":
        found = await library.anthropic.messages.acreate(**{"max_tokens": 4096} | options)
    elif question.wire == "responses":
        found = await library.aresponses(**options)
    else:
        found = await library.acompletion(**options)
    if not question.asked.stream:
        return _json(with_told_usage(_plain(found), question.wire))
    if question.wire == "anthropic":
        return settled(_events(found, question))
    return _events(found, question) if question.wire == "responses" else _chunks(found, question)


async def _gemini(library: Any, question: Question, options: dict[str, Any]) -> Answered:
    google = library.google_genai
    config = options.pop("generationConfig", None)
    if config is not None:
        options["config"] = config
    if not question.asked.stream:
        return _json(await google.agenerate_content(**options))
    events = _events(await google.agenerate_content_stream(**options), question)
    return _array(events) if question.asked.array else events


async def _count(library: Any, question: Question, options: dict[str, Any]) -> bytes:
    """Tokens by the provider's own count; a guess of a tokenizer would be none."""
    name, provider, *_ = library.get_llm_provider(model=options["model"])
    kind = library.LlmProviders(provider)
    info = library.ProviderConfigManager.get_provider_model_info(model=name, provider=kind)
    counter = None if info is None else info.get_token_counter()
    given = {"model": options["model"]}
    given |= {name: options[name] for name in ("vertex_location", "api_base") if name in options}
    if counter is None or question.wire not in ("anthropic", "gemini"):
        raise NotForwarded(f"there is no way to count tokens for {options['model']}")
    try:
        found = await counter.count_tokens(
            model_to_use=name,
            messages=options.get("messages"),
            contents=options.get("contents"),
            deployment={"litellm_params": given},
            request_model=options["model"],
            tools=options.get("tools"),
            system=options.get("system"),
            messages_format="anthropic",
        )
    except ImportError as error:
        raise NotForwarded(f"tokens cannot be counted for {options['model']}: {error}") from error
    if found is None or found.error or not found.total_tokens:
        said = None if found is None else found.error_message
        raise CountRefused(said or "nothing was counted", getattr(found, "status_code", None))
    total = found.total_tokens
    return _json(
        {"input_tokens": total} if question.wire == "anthropic" else {"totalTokens": total}
    )


async def _chunks(found: AsyncIterator[Any], question: Question) -> AsyncIterator[bytes]:
    """Events of Chat Completions; usage is in one without choices, as OpenAI sends it."""
    async for chunk in found:
        document = with_told_usage(_plain(chunk), question.wire)
        usage = document.pop("usage", None)
        if any(_says(choice) for choice in document.get("choices") or ()):
            yield _event(document)
        if usage is not None:
            yield _event({**document, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _says(choice: Mapping[str, Any]) -> bool:
    return bool(choice.get("finish_reason") or choice.get("delta"))


async def _events(found: AsyncIterator[Any], question: Question) -> AsyncIterator[bytes]:
    """Events as they come; some of litellm's ways give them written already."""
    async for each in found:
        if isinstance(each, bytes | str):
            yield each if isinstance(each, bytes) else each.encode()
        elif question.wire == "gemini":
            yield _event(_plain(each))
        else:
            document = with_told_usage(_plain(each), question.wire)
            yield _event(document, document.get("type"))


async def _array(events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same stream as the elements of one JSON array."""
    stream, opening = EventStream(), b"["
    async for chunk in events:
        for text in stream.feed(chunk):
            yield opening + text.encode()
            opening = b",\r\n"
    yield b"]" if opening != b"[" else b"[]"


def _event(document: Mapping[str, Any], kind: str | None = None) -> bytes:
    name = b"" if kind is None else f"event: {kind}\n".encode()
    return name + b"data: " + _json(document) + b"\n\n"


def _json(found: Any) -> bytes:
    return json.dumps(_plain(found), ensure_ascii=False, default=str).encode("utf-8", "replace")


def _plain(found: Any) -> Any:
    if hasattr(found, "model_dump"):
        return found.model_dump(mode="json", exclude_none=True, by_alias=True)
    return found
