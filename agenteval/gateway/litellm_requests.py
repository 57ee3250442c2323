"""Requests of agents as litellm takes them: only fields of the wire format, nothing fetched for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# an agent's request may hold whatever it likes: with any other field it could name an address that
# the operator's credentials are sent to, or a file of the operator's
FIELDS: Mapping[str, frozenset[str]] = {
    "chat": frozenset(
        {
            "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "stop",
            "seed", "tools", "tool_choice", "parallel_tool_calls", "response_format", "stream",
            "reasoning_effort", "stream_options", "logit_bias", "presence_penalty", "thinking",
            "frequency_penalty", "logprobs", "top_logprobs", "functions", "function_call",
        }
    ),
    "anthropic": frozenset(
        {
            "messages", "system", "max_tokens", "stop_sequences", "stream", "temperature", "top_k",
            "top_p", "thinking", "tools", "tool_choice", "output_config", "output_format",
            "context_management",
        }
    ),
    "responses": frozenset(
        {
            "input", "instructions", "max_output_tokens", "parallel_tool_calls", "reasoning", "text",
            "stream", "temperature", "tools", "tool_choice", "top_p", "truncation",
        }
    ),
    "gemini": frozenset(
        {
            "contents", "systemInstruction", "system_instruction", "tools", "toolConfig",
            "generationConfig", "safetySettings",
        }
    ),
}  # fmt: skip
MEDIA = frozenset(
    {
        "image", "image_url", "input_image", "document", "file", "input_file", "video_url", "audio_url",
        "input_audio", "video",
    }
)  # fmt: skip
ADDRESSES = frozenset(
    {
        "url", "image_url", "video_url", "audio_url", "file", "file_url", "file_uri", "file_id",
        "file_data", "uri", "fileUri", "fileId", "fileData",
    }
)  # fmt: skip
SPOKEN = ("messages", "system", "input", "contents", "systemInstruction", "system_instruction")
# what the model or a tool said is data, whatever it looks like: nothing of it is taken for a picture
SAID = frozenset(
    {
        ("function", "arguments"), ("functionCall", "args"), ("function_call", "args"),
        ("function_call", "arguments"), ("functionResponse", "response"),
        ("function_response", "response"),
    }
)  # fmt: skip
# parts that tell where a provider's own search found something
CITED = frozenset(
    {
        "web_search_result", "web_search_result_location", "web_fetch_result", "url_citation",
        "open_page", "find_in_page",
    }
)  # fmt: skip
INLINE = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,", re.IGNORECASE)
SERVER_TOOLS = frozenset({"mcp", "file_search"})
LOCATION = re.compile(r"^(global|us|eu|[a-z]+(?:-[a-z]+)+\d+)/(.+)$")


class NotForwarded(Exception):
    """A request that is not handed to litellm, and why."""


def options_of(
    wire: str, document: Mapping[str, Any], *, model: str, environ: Mapping[str, str]
) -> dict[str, Any]:
    """Keyword arguments of litellm's function for a wire format.

    Parameters
    ----------
    wire
        Name of the wire format.
    document
        The request's body.
    model
        `provider/name` in litellm's words; a location of Vertex may stand between the two.
    environ
        Names another address of Vertex's service, if there is one.

    Raises
    ------
    NotForwarded
        When the request names something that litellm, on this machine, would fetch or ask, or has
        not the form of one: litellm would fail on it, and the provider would get the blame.

    >>> body = {"messages": [], "api_base": "http://elsewhere"}
    >>> options_of("chat", body, model="vertex_ai/global/m", environ={})
    {'messages': [], 'model': 'vertex_ai/m', 'vertex_location': 'global'}
    """
    _check_form(wire, document)
    every = (each for name in SPOKEN for each in _addresses(document.get(name), name))
    address = next(every, None)
    if address is not None:
        raise NotForwarded(
            f"only contents that are in the request itself are passed on, not {address[:80]!r}"
        )
    for tool in document.get("tools") or ():
        if tool.get("type") in SERVER_TOOLS:
            raise NotForwarded(f"a tool of type {tool['type']} would be run on this machine")
    fields = FIELDS[wire]
    options = {name: value for name, value in document.items() if name in fields}
    provider, _, name = model.partition("/")
    if provider != "vertex_ai":
        return options | {"model": model}
    found = LOCATION.match(name)
    name = name if found is None else found[2]
    if wire == "gemini" and not name.startswith("gemini-"):
        raise NotForwarded(
            f"{name} is not reached in the format of Gemini: its usage would be lost"
        )
    options |= {"model": f"{provider}/{name}"}
    options |= {} if found is None else {"vertex_location": found[1]}
    address = environ.get("VERTEXAI_API_BASE")  # some of litellm's ways look there, and not all
    return options | ({"api_base": address} if address else {})


def _check_form(wire: str, document: Mapping[str, Any]) -> None:
    """See that what litellm goes through has the types that it takes for granted."""
    for name in ("tools", "messages", "contents"):
        told = document.get(name)
        if told is not None and not _are_objects(told):
            raise NotForwarded(f"{name} must be a list of objects")
    for message in document.get("messages") or ():
        if not isinstance(message.get("role"), str):
            raise NotForwarded("each of the messages must have a role")
        _check_content(message.get("content"))
    told = document.get("input")
    if wire != "responses" or told is None or isinstance(told, str):
        return
    if not _are_objects(told):
        raise NotForwarded("input must be a text or a list of objects")
    for item in told:
        _check_content(item.get("content"))


def _check_content(content: Any) -> None:
    if content is not None and not isinstance(content, str) and not _are_objects(content):
        raise NotForwarded("the content of a message must be a text or a list of objects")


def _are_objects(told: Any) -> bool:
    return isinstance(told, list) and all(isinstance(each, dict) for each in told)


def _addresses(part: Any, name: str, *, media: bool = False) -> Iterator[str]:
    """Whatever stands where a picture or file may be and is not in the request itself.

    Parameters
    ----------
    part
        Any part of a request.
    name
        Key that it stands under; `content[]` for one of a list there.
    media
        Whether it is within a picture or a file.
    """
    if isinstance(part, str):
        if name.removesuffix("[]") in ADDRESSES and not INLINE.match(part):
            yield part
    elif isinstance(part, list):
        for each in part:
            yield from _addresses(each, f"{name.removesuffix('[]')}[]", media=media)
    elif isinstance(part, dict):
        kind = part.get("type")
        kind = kind if isinstance(kind, str) else ""
        media = media or kind in MEDIA
        for key, value in part.items():
            said = (name, key) in SAID or (
                (name, kind, key) == ("content[]", "tool_use", "input") and "role" not in part
            )
            cited = kind in CITED and key == "url" and isinstance(value, str) and not media
            if not said and not cited:
                within = media or key in MEDIA or key in ADDRESSES
                yield from _addresses(value, key, media=within)
