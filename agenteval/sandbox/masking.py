"""Taking secrets out of what is stored: values of named variables, also as they are encoded."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

from agenteval.sandbox.capture import CUT

LEAST_BYTES = 6
LEAST_PART = 4
PATH_MAX = 4096
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[\w.-]+(:\d+)?(/(v\d+/?)?)?")


def mask(data: bytes, secrets: Mapping[str, str]) -> bytes:
    r"""Replace the values of secret variables by `[NAME]`.

    Found are the value itself, its base64 form (of either alphabet, also where more was encoded
    with it), URL-encoded, hexadecimal and in a JSON string, and what is left of it where the head
    of a captured stream ends and its tail begins. Other encodings are not found, nor a value that
    is printed in pieces.

    Parameters
    ----------
    data
        What is to be stored, whole: masking pieces of a stream would miss what lies across them.
    secrets
        Name of each variable to its value; one shorter than 6 bytes is left alone, for it would
        be found everywhere.

    Examples
    --------
    >>> mask(b"curl -H 'x-api-key: sk-test-123'", {"API_KEY": "sk-test-123"})
    b"curl -H 'x-api-key: [API_KEY]'"
    """
    for name, value in sorted(secrets.items(), key=lambda item: (-len(item[1]), item[0])):
        raw = os.fsencode(value)
        if len(raw) < LEAST_BYTES:
            continue
        label = f"[{name}]".encode()
        for form in forms_of(value):
            data = data.replace(form, label)
        data = _mask_at_cuts(data, raw, label)
    return data


def mask_text(text: str, secrets: Mapping[str, str]) -> str:
    """Replace the values of secret variables in a text, as `mask` does in bytes."""
    if not secrets:
        return text
    return mask(text.encode("utf-8", "surrogatepass"), secrets).decode("utf-8", "surrogatepass")


def mask_strings(data: Any, secrets: Mapping[str, str], keep: frozenset[str] = frozenset()) -> Any:
    """Replace the values of secret variables in all strings of what JSON can hold.

    Numbers and the structure stay, whatever the values are.

    Parameters
    ----------
    keep
        Keys of objects whose values are left alone: ids, and words of a fixed list.
    """
    if isinstance(data, str):
        return mask_text(data, secrets)
    if isinstance(data, Mapping):
        return {
            mask_text(str(key), secrets): value
            if key in keep
            else mask_strings(value, secrets, keep)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [mask_strings(value, secrets, keep) for value in data]
    return data


def is_secret(value: str) -> bool:
    """Whether a value can be one that must not be stored: neither short, nor a file, nor a bare address.

    Of an address with a path, a user or a query, nobody can say that it holds no key.

    >>> [is_secret(v) for v in ("sk-test-123", "debug", "/usr", "https://api.example.org/v1", "https://hook.example.org/T0/x9")]
    [True, False, False, False, True]
    """
    if len(os.fsencode(value)) < LEAST_BYTES or _ADDRESS.fullmatch(value):
        return False
    return not (value.startswith("/") and len(value) < PATH_MAX and os.path.exists(value))  # noqa: PTH110 - any text


@lru_cache
def forms_of(value: str) -> tuple[bytes, ...]:
    """How a value may be written where `mask` finds it, the longest first."""
    return tuple(sorted(set(_forms(value)), key=len, reverse=True))


def _forms(value: str) -> Iterator[bytes]:
    raw = os.fsencode(value)
    yield raw
    yield json.dumps(value)[1:-1].encode()
    yield os.fsencode(json.dumps(value, ensure_ascii=False)[1:-1])
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for url in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield url.encode()
        yield re.sub(r"%..", lambda found: found[0].lower(), url).encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(raw)
        for before in range(3):
            # characters that hold bits of the value only, whatever stands before and behind it
            first = -(-8 * before // 6)
            last = 8 * (before + len(raw)) // 6
            yield encode(b"\0" * before + raw)[first:last]


def _mask_at_cuts(data: bytes, raw: bytes, label: bytes) -> bytes:
    """Mask a value of which only the beginning or only the end was kept."""
    pieces = re.split(b"(" + CUT.pattern + b")", data)
    for place in range(1, len(pieces), 2):
        for length in range(len(raw) - 1, LEAST_PART - 1, -1):
            if pieces[place - 1].endswith(raw[:length]):
                pieces[place - 1] = pieces[place - 1][:-length] + label
                break
        for length in range(len(raw) - 1, LEAST_PART - 1, -1):
            if pieces[place + 1].startswith(raw[-length:]):
                pieces[place + 1] = label + pieces[place + 1][length:]
                break
    return b"".join(pieces)
