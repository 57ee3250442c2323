from datetime import date

DAY = date(2024, 3, 9)


def test_a_day_is_computed_once(service, rows):
    service.ingest(rows)
    service.day("tromso", DAY)
    service.day("tromso", DAY)
    assert service.stats() == {"days": 1, "months": 0}


def test_a_day_without_readings_is_computed_once(service, rows):
    service.ingest(rows)
    service.day("tromso", date(2024, 3, 20))
    service.day("tromso", date(2024, 3, 20))
    assert service.stats()["days"] == 1


def test_days_before_the_first_reading_are_not_computed(service, rows):
    service.ingest(rows)
    assert service.month("tromso", 2024, 2).readings == 0
    assert service.month("hilo", 2024, 2).readings == 0
    assert service.stats()["days"] == 0


def test_a_month_uses_the_days_we_have(service, rows):
    service.ingest(rows)
    service.day("tromso", DAY)
    service.month("tromso", 2024, 3)
    assert service.stats() == {"days": 23, "months": 1}


def test_the_seat_belt(service, rows, clock):
    service.ingest(rows)
    service.day("tromso", DAY)
    clock.now += 6 * 3600 - 1
    service.day("tromso", DAY)
    assert service.stats()["days"] == 1
    clock.now += 1
    service.day("tromso", DAY)
    assert service.stats()["days"] == 2
