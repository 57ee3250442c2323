"""One member's invoice for one period."""

from __future__ import annotations

from dataclasses import dataclass

from belay.members import Member
from belay.money import tax_on
from belay.periods import Period
from belay.plans import PriceList
from belay.proration import prorate, segments


@dataclass(frozen=True)
class Line:
    """days is None for what is not prorated."""

    code: str
    title: str
    cents: int
    days: int | None = None


@dataclass(frozen=True)
class Invoice:
    member_id: str
    period: Period
    lines: tuple[Line, ...]
    tax_cents: int

    @property
    def subtotal_cents(self) -> int:
        return sum(line.cents for line in self.lines)

    @property
    def total_cents(self) -> int:
        return self.subtotal_cents + self.tax_cents


def build_invoice(member: Member, period: Period, prices: PriceList) -> Invoice:
    lines = []
    for segment in segments(member, period):
        plan = prices.plan(segment.plan)
        cents = prorate(plan, segment.days, period)
        lines.append(Line(plan.code, plan.title, cents, segment.days))
    if lines:
        for code in member.addons:
            addon = prices.addon(code)
            lines.append(Line(addon.code, addon.title, addon.monthly_cents))
    tax = sum(tax_on(line.cents, prices.tax_percent) for line in lines)
    return Invoice(member.id, period, tuple(lines), tax)
