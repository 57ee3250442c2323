from datetime import date

import pytest

from toolcrib.members import find, standing, tier


def test_tiers(store, on):
    assert tier(store.members[17], on) == "member"
    assert tier(store.members[23], on) == "steward"
    assert tier(store.members[31], on) == "guest"


def test_standing(store, on):
    assert standing(store, 17, on) == "ok"
    assert standing(store, 31, on) == "full"


def test_a_debt_blocks(store):
    assert standing(store, 17, date(2024, 4, 18)) == "blocked"


def test_unknown_member(store):
    with pytest.raises(LookupError, match="no member 99"):
        find(store, 99)
