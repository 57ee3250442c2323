"""Cents in, cents out."""

from __future__ import annotations

from decimal import Decimal


def to_cents(text: str) -> int:
    """ "49.99" -> 4999. Refuses fractions of a cent."""
    cents = Decimal(text) * 100
    if cents != int(cents):
        raise ValueError(f"fraction of a cent in {text!r}")
    return int(cents)


def format_cents(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def tax_on(cents: int, percent: Decimal) -> int:
    """The tax on an amount, in cents."""
    return round(cents * percent / 100)
