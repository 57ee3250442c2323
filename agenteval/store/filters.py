"""Filters of the trial table, pushed down into SQL with bound values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from agenteval.errors import InvalidInput
from agenteval.records import Status

OneOrMore = str | Iterable[str] | None
Since = str | datetime | None
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass
class Where:
    """A WHERE clause and its parameters."""

    clauses: list[str] = field(default_factory=list)
    values: dict[str, object] = field(default_factory=dict)

    def among(self, column: str, wanted: OneOrMore) -> None:
        """Keep rows whose column is one of the values; None keeps all."""
        if wanted is None:
            return
        names = [self._bind(value) for value in as_list(wanted)]
        self.clauses.append(f"{column} in ({', '.join(names)})" if names else "false")

    def at_least(self, expression: str, value: object) -> None:
        """Keep rows whose expression is not below the value; an unknown one is left out."""
        self.clauses.append(f"{expression} >= {self._bind(value)}")

    @property
    def sql(self) -> str:
        """The clause, empty when nothing is filtered."""
        return f"where {' and '.join(self.clauses)}" if self.clauses else ""

    def _bind(self, value: object) -> str:
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"${name}"


def as_list(wanted: str | Iterable[str]) -> list[str]:
    """One value or several, as a list."""
    return [wanted] if isinstance(wanted, str) else [str(value) for value in wanted]


def statuses(wanted: OneOrMore) -> list[str] | None:
    """Return `wanted` as a list if these are outcomes.

    Raises
    ------
    InvalidInput
        For a name that no trial can have, which would silently find nothing.
    """
    if wanted is None:
        return None
    valid, values = [status.value for status in Status], as_list(wanted)
    for value in values:
        if value not in valid:
            raise InvalidInput(
                f"There is no status {value!r}", "status", f"use one of {', '.join(valid)}"
            )
    return values


def since_time(since: str | datetime, now: datetime | None = None) -> datetime:
    """Read `30d`, `12h`, `2w`, `45m`, an ISO date or a datetime (UTC unless it says otherwise).

    Raises
    ------
    InvalidInput
        When it is none of these.

    Examples
    --------
    >>> since_time("12h", datetime(2025, 1, 2, tzinfo=UTC)).isoformat()
    '2025-01-01T12:00:00+00:00'
    """
    if isinstance(since, datetime):
        return since if since.tzinfo else since.replace(tzinfo=UTC)
    age = re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", since.strip())
    try:
        if age:
            return (now or datetime.now(UTC)) - timedelta(**{_UNITS[age[2]]: float(age[1])})
        return since_time(datetime.fromisoformat(since.strip()))
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{since!r} is no time",
            "since",
            "write an age such as 30d, 12h or 45m, or a date such as 2025-01-31",
        ) from None
