from datetime import date

import pytest

DAY = date(2024, 3, 9)


def test_a_late_reading_shows_up(service, rows):
    service.ingest(rows[:3])
    assert service.day("tromso", DAY).readings == 3
    assert service.month("tromso", 2024, 3).readings == 3
    service.ingest(rows[3:])
    assert service.day("tromso", DAY).readings == 4
    assert service.month("tromso", 2024, 3).readings == 4


def test_a_batch_sent_again_changes_nothing(service, rows):
    service.ingest(rows)
    service.month("tromso", 2024, 3)
    before = service.stats()
    again = service.ingest(rows)
    assert (again.accepted, again.duplicates) == (0, 4)
    assert service.month("tromso", 2024, 3).readings == 4
    assert service.stats() == before


def test_a_batch_with_an_unknown_site_is_refused_whole(service, rows):
    with pytest.raises(LookupError):
        service.ingest([*rows, {**rows[0], "id": "x", "site": "atlantis"}])
    assert service.day("tromso", DAY).readings == 0


def test_a_time_needs_an_offset(service, rows):
    with pytest.raises(ValueError, match="without an offset"):
        service.ingest([{**rows[0], "at": "2024-03-09T11:00:00"}])
