from datetime import date


def test_settlement_is_by_utc_day(service):
    service.ingest(
        [
            {"id": "a", "site": "auckland", "at": "2024-03-09T23:30:00Z", "kwh": 1},
            {"id": "b", "site": "hilo", "at": "2024-03-10T03:00:00Z", "kwh": 2.25},
        ]
    )
    assert service.settlement_lines(date(2024, 3, 9)) == ["auckland;2024-03-09T23:30:00Z;1.000"]
    assert service.settlement_lines(date(2024, 3, 10)) == ["hilo;2024-03-10T03:00:00Z;2.250"]
