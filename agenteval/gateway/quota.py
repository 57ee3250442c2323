"""How providers say "later": when to try again, and until when a quota is used up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LIMITED = frozenset({429, 529})
_REGAIN = re.compile(r"regain access on (\d{4}-\d{2}-\d{2}) at (\d{2}:\d{2})(?::\d{2})? ?UTC")


@dataclass(frozen=True)
class Later:
    """What a provider's refusal means.

    Attributes
    ----------
    limited
        Asked too often, or overloaded; else it failed.
    wait_s
        Seconds that it asks for; None where it names none.
    used_up
        Whether a quota is used up, for which short waits are no help.
    until
        When the quota is there again; None where it is not said.
    """

    limited: bool
    wait_s: float | None = None
    used_up: bool = False
    until: datetime | None = None


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, *, now: datetime
) -> Later | None:
    """What an answer that is an error means; None where trying again is no use.

    Read are Retry-After (seconds or a date, also in milliseconds), Anthropic's
    `anthropic-ratelimit-unified-reset` of subscriptions and the date in its message of a spending
    limit, OpenAI's `usage_limit_reached` and `insufficient_quota`, and Google's RetryInfo and
    daily quotas, which end at midnight in California.

    Parameters
    ----------
    headers
        By names in small letters.
    now
        With its time zone.
    """
    errors = list(_errors(body))
    until, used_up = _until(headers, errors, body, now)
    if used_up:
        wait_s = None if until is None else max(0.0, (until - now).total_seconds())
        return Later(limited=True, wait_s=wait_s, used_up=True, until=until)
    if headers.get("x-should-retry") == "false":
        return None
    wait_s = _retry_after_s(headers, now)
    wait_s = _google_delay_s(errors) if wait_s is None else wait_s
    if status in LIMITED or (status == 503 and wait_s is not None):
        return Later(limited=True, wait_s=wait_s)
    return Later(limited=False, wait_s=wait_s) if status >= 500 or status == 408 else None


def _until(
    headers: Mapping[str, str], errors: list[Mapping[str, Any]], body: bytes, now: datetime
) -> tuple[datetime | None, bool]:
    if headers.get("anthropic-ratelimit-unified-status") == "rejected":
        reset = _moment(headers.get("anthropic-ratelimit-unified-reset"))
        return reset, reset is not None
    if found := _REGAIN.search(body.decode("utf-8", "replace")):
        return datetime.fromisoformat(f"{found[1]}T{found[2]}").replace(tzinfo=UTC), True
    for error in errors:
        if "usage_limit_reached" in (error.get("type"), error.get("code")):
            reset = _moment(error.get("resets_at"))
            if reset is None and isinstance(seconds := error.get("resets_in_seconds"), int | float):
                reset = now + timedelta(seconds=seconds)
            return reset, True
        if "insufficient_quota" in (error.get("type"), error.get("code")):
            return None, True
    if _daily(errors) and _google_delay_s(errors) is None:
        here = now.astimezone(_california())
        midnight = (here + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight.astimezone(UTC), True
    return None, False


def _california() -> tzinfo:
    try:
        return ZoneInfo("America/Los_Angeles")
    except ZoneInfoNotFoundError:  # a machine without time zones: an hour late in summer
        return timezone(timedelta(hours=-8))


def _errors(body: bytes) -> Iterator[Mapping[str, Any]]:
    """The error object of a body; Google's streams have a list around it."""
    try:
        told = json.loads(body)
    except ValueError:
        return
    for entry in told if isinstance(told, list) else [told]:
        if isinstance(entry, Mapping) and isinstance(error := entry.get("error"), Mapping):
            yield error


def _details(errors: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for error in errors:
        details = error.get("details")
        for detail in details if isinstance(details, list) else ():
            if isinstance(detail, Mapping):
                yield detail


def _daily(errors: list[Mapping[str, Any]]) -> bool:
    for detail in _details(errors):
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, Mapping) and "PerDay" in str(violation.get("quotaId")):
                return True
    return False


def _google_delay_s(errors: list[Mapping[str, Any]]) -> float | None:
    for detail in _details(errors):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(detail.get("retryDelay")))
        if found:
            return float(found[1])
    return None


def _retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        told = headers.get(name, "").strip()
        if re.fullmatch(r"\d+(?:\.\d+)?", told):
            return float(told) / unit
        if told and name == "retry-after":
            try:
                return max(0.0, (parsedate_to_datetime(told) - now).total_seconds())
            except (ValueError, TypeError):
                continue
    return None


def _moment(told: object) -> datetime | None:
    """A time as seconds since 1970 or in ISO form."""
    try:
        return datetime.fromtimestamp(float(str(told)), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
