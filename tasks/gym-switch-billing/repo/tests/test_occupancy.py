from belay import Period
from belay.occupancy import person_days

APRIL = Period.month("2025-04")


def test_sums_over_members(member):
    members = [
        member(("2024-01-01", "basic")),
        member(("2025-04-21", "basic")),
        member(("2024-01-01", "plus"), left_on="2025-04-05"),
    ]
    assert person_days(members, APRIL) == {"basic": 40, "plus": 5}


def test_nobody(member):
    assert person_days([member(("2025-06-01", "basic"))], APRIL) == {}
