"""Taking secrets out of what is stored: values of named variables, also as they are encoded."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

from agenteval.sandbox.capture import CUT

LEAST_BYTES = 6
LEAST_PART = 4


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
        raw = value.encode()
        if len(raw) < LEAST_BYTES:
            continue
        label = f"[{name}]".encode()
        for form in sorted(set(_forms(value)), key=len, reverse=True):
            data = data.replace(form, label)
        data = _mask_at_cuts(data, raw, label)
    return data


def _forms(value: str) -> Iterator[bytes]:
    raw = value.encode()
    yield raw
    yield json.dumps(value)[1:-1].encode()
    yield json.dumps(value, ensure_ascii=False)[1:-1].encode()
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for url in (quote(value, safe=""), quote(value), quote_plus(value)):
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
