"""Durations as Go writes them, or bare seconds."""

from __future__ import annotations

import re

from agenteval.suite.foreign.conversion import Malformed

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)")


def seconds_of(value: str | float, field: str) -> float:
    """Seconds of a duration.

    >>> seconds_of("1h2m3.5s", "timeout"), seconds_of(90, "timeout"), seconds_of("45", "timeout")
    (3723.5, 90.0, 45.0)

    Raises
    ------
    Malformed
        When it is none, or not above 0.
    """
    if isinstance(value, str):
        parts = _PART.findall(value)
        if parts and "".join(number + unit for number, unit in parts) == value:
            total = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        else:
            try:
                total = float(value)
            except ValueError:
                raise Malformed(field, f"is no duration, is {value!r}") from None
    else:
        total = float(value)
    if not 0 < total < float("inf"):
        raise Malformed(field, f"must be above 0, is {value!r}")
    return total
