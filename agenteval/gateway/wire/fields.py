"""Fields of JSON that somebody else wrote: whatever is not what it should be is unknown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import from_json, to_json

from agenteval.gateway.wire.protocol import ToolCall


def as_json(text: str | bytes) -> Any:
    """Parse JSON; None where it is none.

    The quick parser is the stricter one (no lone surrogates, UTF-8 only): what it does not take is
    for the standard library to judge.

    >>> as_json(b'{"a": 1}'), as_json("{"), as_json("[" * 100_000)
    ({'a': 1}, None, None)
    """
    try:
        return from_json(text, cache_strings="keys")
    except (ValueError, TypeError):  # TypeError: a text that UTF-8 cannot hold
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def as_map(value: Any) -> Mapping[str, Any]:
    """Give an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Give a list, or an empty one."""
    return value if isinstance(value, list) else []


def maps(value: Any) -> Iterator[Mapping[str, Any]]:
    """Objects in a list; nothing where it is no list."""
    return (item for item in as_list(value) if isinstance(item, dict))


def as_text(value: Any) -> str:
    """Give a text, or an empty one."""
    return value if isinstance(value, str) else ""


def name_of(value: Any) -> str | None:
    """Give a text that says something, or None."""
    return value if isinstance(value, str) and value else None


def as_count(value: Any) -> int | None:
    """Give a count, or None.

    >>> as_count(3), as_count(3.0), as_count(-1), as_count(True), as_count("3"), as_count(1e999)
    (3, 3, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if value >= 0 else None


def first_count(*values: Any) -> int | None:
    """Give the first of the values that is a count."""
    return next((found for value in values if (found := as_count(value)) is not None), None)


def rest_of(total: int | None, *parts: int | None) -> int | None:
    """What is left of a total without its parts; None where they contradict each other.

    >>> rest_of(10, 4, None), rest_of(None, 1), rest_of(3, 4)
    (6, None, None)
    """
    if total is None:
        return None
    left = total - sum(part or 0 for part in parts)
    return left if left >= 0 else None


def sum_of(*parts: int | None) -> int | None:
    """Sum of the parts that are known; None where none is."""
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def said_call(name: Any, call_id: Any, arguments: Any) -> ToolCall:
    """Make a tool call of arguments that came as JSON text or as an object."""
    given = as_json(arguments) if isinstance(arguments, str) else arguments
    if arguments in (None, ""):
        given = {}
    if isinstance(given, dict):
        return ToolCall(as_text(name), as_text(call_id), given)
    return ToolCall(as_text(name), as_text(call_id), None, as_text(arguments))


def error_in(document: Any) -> str | None:
    """Message of an error document of any provider, or None where it is none."""
    if isinstance(document, list):
        document = document[0] if document else None
    error = as_map(document).get("error")
    if isinstance(error, dict):
        return name_of(error.get("message")) or json.dumps(error, default=str)[:1000]
    if isinstance(error, str) and error:
        return name_of(as_map(document).get("message")) or error
    return name_of(as_map(document).get("detail"))


def fingerprint(*parts: Any, length: int = 24) -> str:
    """Hash of texts and numbers, and of lists of them: the same for the same values."""
    try:
        told = to_json(parts)
    except ValueError:  # a text that UTF-8 cannot hold
        told = json.dumps(parts).encode()
    return hashlib.sha256(told).hexdigest()[:length]


def texts_in(content: Any) -> list[str]:
    """Texts of a message: as a text, or as parts that have one; other parts by their type."""
    if isinstance(content, str):
        return [content]
    return [as_text(part.get("text")) or f"[{part.get('type', 'part')}]" for part in maps(content)]


def joined(content: Any) -> str:
    """Texts of a tool result, one below the other."""
    return "\n".join(texts_in(content))


def runs(flags: Iterator[bool]) -> int:
    """How many runs of True there are.

    >>> runs(iter([True, True, False, True]))
    2
    """
    total, before = 0, False
    for flag in flags:
        total += flag and not before
        before = flag
    return total


def bits(text: str, pieces: int = 3) -> list[str]:
    """Cut a text into pieces of about the same length, as a stream does.

    >>> bits("abcdefg")
    ['abc', 'def', 'g']
    """
    size = max(1, -(-len(text) // pieces))
    return [text[at : at + size] for at in range(0, len(text), size)]


def as_arguments(given: Mapping[str, Any] | None) -> str:
    """Input of a tool call as the JSON text that a stream cuts up."""
    return json.dumps(dict(given or {}), ensure_ascii=False)
