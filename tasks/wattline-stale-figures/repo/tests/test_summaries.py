from datetime import date

from wattline import Summary

DAY = date(2024, 3, 9)


def test_a_day(service, rows):
    service.ingest(rows)
    assert service.day("tromso", DAY) == Summary("tromso", DAY, 4, 6.0, 1.5)


def test_a_day_is_the_sites_own(service):
    service.ingest(
        [
            {"id": "a", "site": "tromso", "at": "2024-03-09T22:59:00Z", "kwh": 1},
            {"id": "b", "site": "tromso", "at": "2024-03-09T23:00:00Z", "kwh": 2},
            {"id": "c", "site": "hilo", "at": "2024-03-10T09:59:00Z", "kwh": 4},
        ]
    )
    assert service.day("tromso", date(2024, 3, 9)).kwh == 1
    assert service.day("tromso", date(2024, 3, 10)).kwh == 2
    assert service.day("hilo", date(2024, 3, 9)).kwh == 4


def test_the_day_the_clocks_change(service):
    service.ingest(
        [
            {"id": "a", "site": "tromso", "at": "2024-03-30T23:00:00Z", "kwh": 1},
            {"id": "b", "site": "tromso", "at": "2024-03-31T21:59:00Z", "kwh": 1},
            {"id": "c", "site": "tromso", "at": "2024-03-31T22:00:00Z", "kwh": 1},
        ]
    )
    assert service.day("tromso", date(2024, 3, 31)).readings == 2


def test_a_month(service, rows):
    service.ingest(rows)
    month = service.month("tromso", 2024, 3)
    assert (month.readings, month.kwh, month.peak_kwh) == (4, 6.0, 1.5)
    assert service.month("tromso", 2024, 4).peak_kwh is None
