"""Months, and counting days in them."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date


def inclusive_days(first: date, last: date) -> int:
    """Days from first to last, both of them counted."""
    return (last - first).days + 1


@dataclass(frozen=True)
class Period:
    """A billing period. Both ends belong to it."""

    first: date
    last: date

    @classmethod
    def month(cls, text: str) -> "Period":
        """The calendar month written as "2025-04"."""
        try:
            year, month = (int(part) for part in text.split("-"))
            last = calendar.monthrange(year, month)[1]
        except (ValueError, calendar.IllegalMonthError) as problem:
            raise ValueError(f"not a month: {text!r} (want YYYY-MM)") from problem
        return cls(date(year, month, 1), date(year, month, last))

    @property
    def days(self) -> int:
        return inclusive_days(self.first, self.last)

    def clip(self, first: date, last: date) -> tuple[date, date] | None:
        """The part of first..last (both included) inside this period, if any."""
        first = max(first, self.first)
        last = min(last, self.last)
        if last < first:
            return None
        return first, last
