"""What an answer that nobody waited for may have used: for limits alone, never for a record."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from agenteval.gateway.traffic import BUCKETS
from agenteval.gateway.wire.protocol import Answered, Usage

BYTES_A_TOKEN = 4  # of English and of code, about
# a picture or a document, as text; what it costs in tokens has little to do with its bytes
_BASE64 = re.compile(rb"[A-Za-z0-9+/=_-]{2048,}")
TOKENS_A_PICTURE = 1600
UNITS = {"requests": "requests", "turns": "turns", "tokens": "tokens", "cost_usd": "USD"}


def estimated(answered: Answered, *, request: bytes) -> Usage | None:
    """Usage with an estimate in the place of what is unknown; None where nothing is.

    Input is estimated by the size of the request, output by what was said until the answer broke
    off. Thoughts that were not shown are not in it, so it is rather too low.

    Parameters
    ----------
    answered
        What came of the answer.
    request
        The request's body; pictures in it count as pictures, whatever their size.

    >>> estimated(Answered(text="Twelve chars"), request=b"four" * 500 + b" " * 2000)
    Usage(input_tokens=1000, cache_read_tokens=0, cache_write_tokens=0, output_tokens=3,
        long_cache_write_tokens=None)
    >>> estimated(Answered(usage=Usage(70, 30, None, None)), request=b"{}")
    Usage(input_tokens=70, cache_read_tokens=30, cache_write_tokens=0, output_tokens=0,
        long_cache_write_tokens=None)
    """
    usage = answered.usage
    if usage.input_tokens is not None and usage.output_tokens is not None:
        return None
    said = len(answered.text.encode("utf-8", "replace")) + sum(
        len(call.raw or json.dumps(call.input, ensure_ascii=False)) for call in answered.calls
    )
    return replace(
        usage,
        input_tokens=_known(usage.input_tokens, _size(request)),
        cache_read_tokens=usage.cache_read_tokens or 0,
        cache_write_tokens=usage.cache_write_tokens or 0,
        output_tokens=_known(usage.output_tokens, said),
    )


def _size(request: bytes) -> int:
    """Bytes of a request, each picture as long as text of as many tokens."""
    pictures = [len(found) for found in _BASE64.findall(request)]
    return len(request) - sum(pictures) + len(pictures) * TOKENS_A_PICTURE * BYTES_A_TOKEN


def _known(tokens: int | None, size: int) -> int:
    return -(-size // BYTES_A_TOKEN) if tokens is None else tokens


def tokens_of(usage: Usage) -> int:
    """Tokens of all four buckets together; what is unknown is not in it."""
    return sum(getattr(usage, bucket) or 0 for bucket in BUCKETS)


def limit_words(name: str, used: float, cap: float, estimate: float) -> str:
    """Say that a limit is reached, and how much of what was used is an estimate.

    >>> limit_words("tokens", 250, 200, 0)
    'the limit of this trial is reached: 250 of 200 tokens used'
    >>> limit_words("cost_usd", 0.25, 0.2, 0.05)
    'the limit of this trial is reached: 0.2500 of 0.2 USD used (0.0500 of it estimated, for answers whose usage is unknown)'
    """
    form, most = (".4f", f"{cap:g}") if name == "cost_usd" else (".0f", f"{cap:.0f}")
    note = " of it estimated, for answers whose usage is unknown"
    part = f" ({estimate:{form}}{note})" if estimate else ""
    return f"the limit of this trial is reached: {used:{form}} of {most} {UNITS[name]} used{part}"
