"""Which plan a member was on, on which days, and what those days cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from belay.members import Member
from belay.periods import Period, inclusive_days
from belay.plans import Plan


@dataclass(frozen=True)
class Segment:
    """A run of days on one plan. Both ends are paid for."""

    plan: str
    first: date
    last: date

    @property
    def days(self) -> int:
        return inclusive_days(self.first, self.last)


def segments(member: Member, period: Period) -> list[Segment]:
    """The member's plans in this period, oldest first."""
    changes = sorted(member.changes, key=lambda change: change.on)
    found = []
    for index, change in enumerate(changes):
        if index + 1 < len(changes):
            last = changes[index + 1].on
        else:
            last = member.left_on or period.last
        inside = period.clip(change.on, last)
        if inside:
            found.append(Segment(change.plan, *inside))
    return found


def prorate(plan: Plan, days: int, period: Period) -> int:
    """What `days` of the period cost on this plan, in cents."""
    # multiply first, 1/31 is not a nice number
    return round(plan.monthly_cents * days / period.days)
