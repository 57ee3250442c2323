from datetime import date

from wattline import Service

from conftest import SITES


def test_the_journal_brings_everything_back(tmp_path, rows):
    journal = tmp_path / "plant.journal"
    service = Service.open(SITES, journal)
    service.ingest(rows)
    service.amend("t1", kwh=9)
    service.withdraw("t2")
    again = Service.open(SITES, journal)
    assert again.day("tromso", date(2024, 3, 9)).kwh == 12.0
