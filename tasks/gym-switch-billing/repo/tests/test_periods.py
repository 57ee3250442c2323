from datetime import date

import pytest

from belay.periods import Period, inclusive_days


def test_both_ends_count():
    assert inclusive_days(date(2025, 4, 1), date(2025, 4, 1)) == 1
    assert inclusive_days(date(2025, 4, 1), date(2025, 4, 30)) == 30


@pytest.mark.parametrize(
    "text, days", [("2025-04", 30), ("2025-05", 31), ("2024-02", 29), ("2025-02", 28)]
)
def test_length_of_a_month(text, days):
    assert Period.month(text).days == days


@pytest.mark.parametrize("text", ["2025", "April", "2025-13", "2025-04-01"])
def test_not_a_month(text):
    with pytest.raises(ValueError, match="not a month"):
        Period.month(text)


def test_clip():
    april = Period.month("2025-04")
    assert april.clip(date(2025, 3, 1), date(2025, 4, 2)) == (
        date(2025, 4, 1),
        date(2025, 4, 2),
    )
    assert april.clip(date(2025, 3, 1), date(2025, 3, 31)) is None
