"""What both formats of OpenAI share: usage that holds its own parts, errors, and statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agenteval.gateway.wire.fields import as_count, as_map, first_count, rest_of
from agenteval.gateway.wire.protocol import Reply, Usage
from agenteval.gateway.wire.sse import json_reply

CODES = {
    "limit": ("invalid_request_error", "trial_limit_reached"),
    "rate_limit": ("requests", "rate_limit_exceeded"),
    "overloaded": ("server_error", "server_is_overloaded"),
    "server": ("server_error", "server_error"),
    "authentication": ("invalid_request_error", "invalid_api_key"),
    "invalid": ("invalid_request_error", None),
}


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Read four buckets from fields where the whole holds its parts.

    Cached and cache-written tokens are inside the input, reasoning is inside the output, unless the
    total shows that it was left out (xAI). A server that says how much was read from its cache and
    nothing of writing to it has written nothing that costs; one that says neither leaves both
    unknown, and all its input counts as fresh.

    >>> usage_of({"prompt_tokens": 100, "completion_tokens": 20,
    ...           "prompt_tokens_details": {"cached_tokens": 30}})
    Usage(input_tokens=70, cache_read_tokens=30, cache_write_tokens=0, output_tokens=20,
        long_cache_write_tokens=None)
    >>> usage_of({})
    Usage(input_tokens=None, cache_read_tokens=None, cache_write_tokens=None, output_tokens=None,
        long_cache_write_tokens=None)
    """
    total_in = first_count(usage.get("prompt_tokens"), usage.get("input_tokens"))
    details = as_map(usage.get("prompt_tokens_details", usage.get("input_tokens_details")))
    read = first_count(
        details.get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),  # DeepSeek
        usage.get("cached_tokens"),  # Moonshot
        usage.get("cache_read_input_tokens"),  # LiteLLM's proxy, of models of Anthropic
    )
    written = first_count(
        details.get("cache_write_tokens"),
        details.get("cache_creation_tokens"),  # LiteLLM's proxy
        usage.get("cache_creation_input_tokens"),  # the same, by Anthropic's name
        None if read is None else 0,
    )
    kept = as_map(details.get("cache_write_tokens_details"))
    return Usage(
        rest_of(total_in, read, written),
        read,
        written,
        _output(usage, total_in),
        as_count(kept.get("ttl_12h_tokens")),
    )


def _output(usage: Mapping[str, Any], total_in: int | None) -> int | None:
    output = first_count(usage.get("completion_tokens"), usage.get("output_tokens"))
    details = as_map(usage.get("completion_tokens_details", usage.get("output_tokens_details")))
    reasoning = as_count(details.get("reasoning_tokens"))
    total = as_count(usage.get("total_tokens"))
    if output and reasoning and total == (total_in or 0) + output + reasoning:
        return output + reasoning
    return output


def usage_fields(usage: Usage, given: str, made: str) -> dict[str, Any] | None:
    """Write usage as OpenAI does, with `given` and `made` as the names of input and output."""
    parts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    total_in = sum(part or 0 for part in parts)
    details = {
        name: value
        for name, value in (
            ("cached_tokens", usage.cache_read_tokens),
            ("cache_write_tokens", usage.cache_write_tokens),
        )
        if value is not None
    }
    return {
        given: total_in,
        made: usage.output_tokens,
        "total_tokens": total_in + usage.output_tokens,
        f"{given}_details": details,
        f"{made}_details": {"reasoning_tokens": 0},
    }


def refusal(status: int, kind: str, message: str) -> Reply:
    """Refuse with the `error` document of OpenAI."""
    sort, code = CODES.get(kind, CODES["server"])
    error = {"message": message, "type": sort, "param": None, "code": code}
    more = {"x_should_retry": "false"} if kind == "limit" else {}
    return json_reply({"error": error}, status=status, **more)
