import pytest

from stringroom import report

TODAY = "2025-03-01"


def test_board(room, lend):
    lend(1, 1, "2025-01-10", "2025-07-01")
    lend(3, 2, "2024-09-01", "2025-02-01")
    lend(2, 2, "2024-09-01", "2025-07-01", returned="2025-02-27")
    assert report(room, "board", TODAY) == [
        (3, "cello", "4/4", "Tom O'Hara"),
        (1, "violin", "1/2", "Nele Aydin"),
    ]


def test_overdue(room, lend):
    lend(1, 1, "2025-01-10", "2025-03-01")
    lend(3, 2, "2024-09-01", "2025-02-27")
    assert report(room, "overdue", TODAY) == [("Tom O'Hara", "cello", 3, "2025-02-27", 2)]


def test_reminders(room, lend):
    lend(1, 1, "2025-01-10", "2025-03-15")
    lend(3, 2, "2024-09-01", "2025-03-16")
    assert report(room, "reminders", TODAY) == [
        ("Frau Koch", "Nele Aydin", "violin", "2025-03-15")
    ]


def test_insurance(room, lend):
    lend(1, 1, "2025-01-10", "2025-03-15")
    lend(3, 2, "2024-09-01", "2025-03-16", written_off="2025-01-07")
    assert report(room, "insurance", TODAY) == [
        (3, "cello", "4/4", 420000, 1),
        (1, "violin", "1/2", 60000, 0),
    ]


def test_no_such_report(room):
    with pytest.raises(ValueError, match="there are board, insurance"):
        report(room, "lost", TODAY)
