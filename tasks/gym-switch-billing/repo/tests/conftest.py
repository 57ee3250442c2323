from datetime import date
from decimal import Decimal

import pytest

from belay import Member, Plan, PlanChange, PriceList


@pytest.fixture
def prices():
    return PriceList(
        plans={
            "basic": Plan("basic", "Basic", 4500),
            "plus": Plan("plus", "Plus", 7500),
        },
        addons={"locker": Plan("locker", "Locker", 630)},
        tax_percent=Decimal("8.5"),
    )


@pytest.fixture
def member():
    def make(*changes, left_on=None, addons=()):
        return Member(
            "M-1",
            "Test Member",
            tuple(PlanChange(date.fromisoformat(on), plan) for on, plan in changes),
            left_on=date.fromisoformat(left_on) if left_on else None,
            addons=tuple(addons),
        )

    return make
