"""Taking fields out of foreign JSON: the right type, or a `Malformed` that names the field."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenteval.store.importers.drafts import Malformed

Record = dict[str, Any]


def read_json(path: Path, *, finite: bool = False) -> Any:
    """Read a whole file; NaN and the infinities, which are not JSON, are refused when `finite`.

    Raises
    ------
    Malformed
        When it cannot be read or is not JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"), parse_constant=_refused if finite else None)
    except OSError as error:
        raise Malformed("(file)", f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Malformed("(file)", f"is not JSON: {error}") from None


def record(value: Any) -> Record:
    """Return the value if it is an object."""
    if not isinstance(value, dict):
        raise Malformed("(record)", f"must be an object, is {_name(value)}")
    return value


def text(data: Record, name: str) -> str:
    """Return a text that is not empty."""
    value = _there(data, name)
    if not isinstance(value, str) or not value:
        raise Malformed(name, f"must be a text, is {_name(value)}")
    return value


def text_or_unknown(data: Record, name: str) -> str | None:
    """Return a text; None when it is missing or null."""
    return None if data.get(name) is None else text(data, name)


def number(data: Record, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number between two bounds, ends included."""
    value = _there(data, name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Malformed(name, f"must be a number, is {_name(value)}")
    if not low <= value <= high:
        raise Malformed(name, f"must lie in {low:g} to {high:g}, is {value:g}")
    return float(value)


def whole(data: Record, name: str) -> int:
    """Return a whole number, 0 or more."""
    value = _there(data, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Malformed(name, f"must be a whole number from 0, is {_name(value)}")
    return value


def count_or_unknown(data: Record, name: str) -> int | None:
    """Return a count in which both 0 and null stand for "not measured"."""
    return None if data.get(name) is None else whole(data, name) or None


def truth_or_unknown(data: Record, name: str) -> bool | None:
    """Return true, false or null; the key must be there."""
    value = _there(data, name)
    if value is not None and not isinstance(value, bool):
        raise Malformed(name, f"must be true, false or null, is {_name(value)}")
    return value


def objects(data: Record, name: str) -> list[Record]:
    """Return a list of objects."""
    value = _there(data, name)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Malformed(name, "must be a list of objects")
    return value


def time_or_unknown(data: Record, name: str) -> datetime | None:
    """Return an ISO time, in UTC when it does not say; None when it is missing or null."""
    if data.get(name) is None:
        return None
    try:
        value = datetime.fromisoformat(text(data, name))
    except ValueError:
        raise Malformed(name, f"must be an ISO time, is {data[name]!r}") from None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def seconds_between(data: Record, start: str, end: str) -> float | None:
    """Return the time from one field to another; None when either is unknown."""
    begun, ended = time_or_unknown(data, start), time_or_unknown(data, end)
    if begun is None or ended is None:
        return None
    if ended < begun:
        raise Malformed(end, f"lies before {start}")
    return (ended - begun).total_seconds()


def _refused(name: str) -> None:
    raise Malformed("(file)", f"holds {name}, which is no number")


def _there(data: Record, name: str) -> Any:
    if name not in data:
        raise Malformed(name, "is missing")
    return data[name]


def _name(value: Any) -> str:
    return "null" if value is None else repr(value)[:60]
