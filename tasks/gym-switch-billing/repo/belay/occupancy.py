"""Person-days per plan. Goes to the city with the capacity permit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from belay.members import Member
from belay.periods import Period
from belay.proration import segments


def person_days(members: Iterable[Member], period: Period) -> dict[str, int]:
    """Days of membership in the period by plan, summed over all members."""
    counts: Counter[str] = Counter()
    for member in members:
        for segment in segments(member, period):
            counts[segment.plan] += segment.days
    return dict(sorted(counts.items()))
