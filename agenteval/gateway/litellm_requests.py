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
HOLDERS = frozenset({"fileData", "file_data"})
ADDRESSES = frozenset(
    {"url", "image_url", "file_url", "uri", "fileUri", "file_uri", "file_id", "file"}
)
SPOKEN = ("messages", "system", "input", "contents")
OF_THE_MODEL = frozenset({"functionCall", "function_call", "tool_calls"})
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
        When the request names something that litellm, on this machine, would fetch or ask.

    >>> body = {"messages": [], "api_base": "http://elsewhere"}
    >>> options_of("chat", body, model="vertex_ai/global/m", environ={})
    {'messages': [], 'model': 'vertex_ai/m', 'vertex_location': 'global'}
    """
    address = next(_addresses([document.get(name) for name in SPOKEN]), None)
    if address is not None:
        raise NotForwarded(
            f"only contents that are in the request itself are passed on, not {address[:80]!r}"
        )
    for tool in document.get("tools") or ():
        if isinstance(tool, dict) and tool.get("type") in SERVER_TOOLS:
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


def _addresses(part: Any, *, media: bool = False) -> Iterator[str]:
    """Addresses of pictures and files that are elsewhere."""
    if isinstance(part, list):
        for each in part:
            yield from _addresses(each, media=media)
    elif isinstance(part, dict) and part.get("type") != "tool_use":
        media = media or part.get("type") in MEDIA
        for name, value in part.items():
            if isinstance(value, str):
                if media and name in ADDRESSES and not value.startswith("data:"):
                    yield value
            elif name not in OF_THE_MODEL:
                yield from _addresses(value, media=media or name in HOLDERS or name in MEDIA)
