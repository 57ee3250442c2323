from datetime import date

import pytest

from descant.register import read_all, read_rehearsal


def test_an_evening(folder, evening):
    evening("2025-03-06", "zoe max", "ida")
    (rehearsal,) = read_all(folder / "rehearsals")
    assert rehearsal.date == date(2025, 3, 6)
    assert rehearsal.present == {"zoe", "max"}
    assert rehearsal.excused == {"ida"}


def test_cancelled(folder):
    path = folder / "rehearsals" / "storm.txt"
    path.write_text("date: 2025-03-06\ncancelled: storm\n")
    assert read_rehearsal(path) is None
    assert read_all(folder / "rehearsals") == []


def test_no_date(folder):
    path = folder / "rehearsals" / "x.txt"
    path.write_text("present: zoe\n")
    with pytest.raises(ValueError, match="no date"):
        read_rehearsal(path)
