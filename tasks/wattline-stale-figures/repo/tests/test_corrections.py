from datetime import date

import pytest

DAY = date(2024, 3, 9)


def test_amend_and_withdraw(service, rows):
    service.ingest(rows)
    service.day("tromso", DAY)
    service.amend("t0", kwh=3.5)
    assert service.day("tromso", DAY).kwh == 8.0
    service.withdraw("t0")
    assert service.day("tromso", DAY).kwh == 4.5


def test_an_unknown_reading(service):
    with pytest.raises(LookupError):
        service.amend("nope", kwh=1)
