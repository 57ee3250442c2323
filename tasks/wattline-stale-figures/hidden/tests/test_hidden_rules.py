"""The rules of docs/cache.md, through Service only."""

import random
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from wattline import Service

SITES = Path(__file__).parent.parent / "config" / "sites.json"
ALL = ["tromso", "auckland", "hilo", "reykjavik"]
UTC = timezone.utc


class Plant:
    """A service whose clock stands still, and what a new process would say."""

    def __init__(self, journal):
        self.journal = journal
        self.service = Service.open(SITES, journal, clock=lambda: 0.0)
        self.count = 0

    def row(self, site, at, kwh=1.0):
        self.count += 1
        when = at if isinstance(at, str) else at.strftime("%Y-%m-%dT%H:%M:%SZ")
        return {"id": f"r{self.count}", "site": site, "at": when, "kwh": kwh}

    def send(self, site, *times, kwh=1.0):
        rows = [self.row(site, at, kwh) for at in times]
        self.service.ingest(rows)
        return rows

    def figures(self, first, days, sites=ALL, service=None):
        service = service or self.service
        window = [first + timedelta(days=n) for n in range(days)]
        months = sorted({(day.year, day.month) for day in window})
        return {
            site: [service.day(site, day) for day in window]
            + [service.month(site, *month) for month in months]
            for site in sites
        }

    def assert_right(self, first, days, sites=ALL):
        fresh = Service.open(SITES, self.journal)
        assert self.figures(first, days, sites) == self.figures(first, days, sites, fresh)

    def cost(self, look, write):
        """What looking again costs after a write."""
        look()
        write()
        before = self.service.stats()
        look()
        after = self.service.stats()
        return after["days"] - before["days"], after["months"] - before["months"]


@pytest.fixture
def plant(tmp_path):
    return Plant(tmp_path / "plant.journal")


def hours(day, step=3):
    start = datetime(day.year, day.month, day.day, 0, 30, tzinfo=UTC)
    return [start + timedelta(hours=n) for n in range(0, 24, step)]


@pytest.mark.parametrize("site", ALL)
@pytest.mark.parametrize("day", [date(2024, 1, 12), date(2024, 6, 30)])
def test_late_readings_at_any_hour(plant, site, day):
    first = day - timedelta(days=2)
    plant.send(site, *hours(day - timedelta(days=1)), *hours(day), *hours(day + timedelta(days=1)))
    for at in hours(day, step=2):
        plant.figures(first, 5, [site])
        plant.send(site, at + timedelta(minutes=7))
        plant.assert_right(first, 5, [site])


@pytest.mark.parametrize(
    ("site", "at"),
    [
        ("tromso", "2024-03-30T23:10:00Z"),
        ("tromso", "2024-03-31T21:50:00Z"),
        ("tromso", "2024-03-31T22:10:00Z"),
        ("tromso", "2024-07-10T22:30:00Z"),
        ("tromso", "2024-10-27T22:30:00Z"),
        ("auckland", "2024-04-06T10:30:00Z"),
        ("auckland", "2024-04-06T11:30:00Z"),
        ("auckland", "2024-04-07T11:30:00Z"),
        ("auckland", "2024-06-30T11:30:00Z"),
        ("auckland", "2024-09-29T10:30:00Z"),
        ("auckland", "2024-09-29T11:30:00Z"),
        ("hilo", "2024-03-01T09:59:00Z"),
        ("hilo", "2024-03-01T10:00:00Z"),
    ],
)
def test_late_readings_around_midnight_and_clock_changes(plant, site, at):
    day = datetime.fromisoformat(at.replace("Z", "+00:00")).date()
    first = day - timedelta(days=2)
    noons = [datetime(2024, day.month, day.day, 12, tzinfo=UTC) + timedelta(days=n) for n in (-1, 0, 1)]
    plant.send(site, *noons)
    plant.figures(first, 5, [site])
    plant.send(site, at)
    plant.assert_right(first, 5, [site])


def test_an_offset_in_the_row_is_only_how_the_time_is_written(plant):
    plant.send("auckland", *hours(date(2024, 3, 12)))
    plant.figures(date(2024, 3, 10), 5)
    plant.send("auckland", "2024-03-13T00:20:00+13:00", "2024-03-12T12:20:00+01:00")
    plant.assert_right(date(2024, 3, 10), 5)
    assert plant.service.day("auckland", date(2024, 3, 13)).readings > 1


@pytest.mark.parametrize("site", ALL)
def test_history_from_before_the_first_reading(plant, site):
    first = date(2024, 1, 28)
    plant.figures(first, 20, [site])
    plant.send(site, "2024-02-14T12:00:00Z")
    for at in (
        "2024-02-13T23:40:00Z",
        "2024-02-11T10:30:00Z",
        "2024-02-01T09:30:00Z",
        "2024-01-31T22:30:00Z",
        "2024-01-30T00:30:00Z",
    ):
        plant.figures(first, 20, [site])
        plant.send(site, at)
        plant.assert_right(first, 20, [site])
    assert plant.service.month(site, 2024, 2).readings + plant.service.month(site, 2024, 1).readings == 6


@pytest.mark.parametrize("site", ALL)
def test_batches_that_span_midnight(plant, site):
    first = date(2024, 5, 29)
    plant.send(site, *hours(date(2024, 5, 29)), *hours(date(2024, 5, 30)), *hours(date(2024, 5, 31)))
    for looked_at_before in (True, False):
        if looked_at_before:
            plant.figures(first, 5, [site])
        start = datetime(2024, 5, 31, 0, 15, tzinfo=UTC)
        plant.send(site, *[start + timedelta(minutes=25 * n) for n in range(60)])
        plant.assert_right(first, 5, [site])


def test_the_first_batch_of_a_site_spans_midnight(plant):
    plant.send("reykjavik", "2024-05-30T23:45:00Z", "2024-05-31T00:00:00Z", "2024-05-31T00:15:00Z")
    assert plant.service.day("reykjavik", date(2024, 5, 30)).readings == 1
    assert plant.service.day("reykjavik", date(2024, 5, 31)).readings == 2
    plant.assert_right(date(2024, 5, 29), 4)


@pytest.mark.parametrize("site", ALL)
def test_corrections(plant, site):
    first = date(2024, 2, 27)
    (row, other) = plant.send(site, "2024-02-28T23:10:00Z", "2024-02-29T09:00:00Z", kwh=2.0)
    service = plant.service
    plant.figures(first, 6, [site])
    steps = [
        lambda: service.amend(row["id"], kwh=5),
        lambda: service.amend(row["id"], at="2024-02-29T11:45:00Z"),
        lambda: service.amend(row["id"], at="2024-03-02T08:00:00Z", kwh=7),
        lambda: service.amend(row["id"], at="2024-02-28T10:30:00Z"),
        lambda: service.amend(other["id"], at="2024-02-27T13:00:00Z"),
        lambda: service.withdraw(other["id"]),
        lambda: service.amend(row["id"], at="2024-02-29T09:30:00Z"),
        lambda: service.withdraw(row["id"]),
        lambda: plant.send(site, "2024-03-01T09:30:00Z"),
        lambda: plant.send(site, "2024-02-28T09:30:00Z"),
    ]
    for step in steps:
        plant.figures(first, 6, [site])
        step()
        plant.assert_right(first, 6, [site])


def test_any_sequence_of_writes(plant):
    rng = random.Random(20240331)
    first, days = date(2024, 3, 28), 13
    start = datetime(2024, 3, 29, tzinfo=UTC)
    known = []

    def moment():
        return (start + timedelta(minutes=rng.randrange(10 * 24 * 60))).strftime("%Y-%m-%dT%H:%M:%SZ")

    for _ in range(60):
        kind = rng.choice(["batch", "batch", "again", "amend", "move", "withdraw"])
        if kind == "batch" or not known:
            begin = datetime.fromisoformat(moment().replace("Z", "+00:00"))
            site = rng.choice(ALL)
            times = [begin + timedelta(minutes=20 * n) for n in range(rng.randrange(1, 9))]
            known += plant.send(site, *times, kwh=rng.choice([1.0, 2.0, 30.0]))
        elif kind == "again":
            plant.service.ingest(rng.sample(known, min(len(known), 3)))
        elif kind == "withdraw":
            plant.service.withdraw(known.pop(rng.randrange(len(known)))["id"])
        else:
            change = {"kwh": rng.randrange(1, 9)} if kind == "amend" else {"at": moment()}
            plant.service.amend(rng.choice(known)["id"], **change)
        plant.assert_right(first, days)


# What a write may cost (rules 2 to 4). Everything is looked at before and after.

FIRST, DAYS = date(2024, 2, 24), 30


@pytest.fixture
def busy(plant):
    for site in ALL:
        for n in range(DAYS):
            plant.send(site, *hours(FIRST + timedelta(days=n), step=6))
    return plant


@pytest.mark.parametrize("site", ALL)
@pytest.mark.parametrize("hour", [1, 8, 12, 23])
def test_a_late_reading_costs_its_day_and_its_month(busy, site, hour):
    at = f"2024-03-05T{hour:02d}:10:00Z"
    cost = busy.cost(lambda: busy.figures(FIRST, DAYS), lambda: busy.send(site, at))
    assert cost == (1, 1)


def test_a_batch_costs_each_of_its_days_once(busy):
    times = [f"2024-03-05T22:{minute}:00Z" for minute in (10, 20, 30)]
    times += [f"2024-03-05T23:{minute}:00Z" for minute in (10, 20, 30)]
    cost = busy.cost(lambda: busy.figures(FIRST, DAYS), lambda: busy.send("tromso", *times))
    assert cost == (2, 1)


def test_corrections_cost_the_days_they_touch(busy):
    (row,) = busy.send("hilo", "2024-03-01T09:30:00Z")
    look = lambda: busy.figures(FIRST, DAYS)  # noqa: E731
    amend = busy.service.amend
    assert busy.cost(look, lambda: amend(row["id"], kwh=4)) == (1, 1)
    # 29 February at the site, then 1 March, then 2 March
    assert busy.cost(look, lambda: amend(row["id"], at="2024-03-01T10:30:00Z")) == (2, 2)
    assert busy.cost(look, lambda: amend(row["id"], at="2024-03-02T10:30:00Z")) == (2, 1)
    assert busy.cost(look, lambda: busy.service.withdraw(row["id"])) == (1, 1)


def test_a_batch_sent_again_costs_nothing(busy):
    rows = busy.send("auckland", "2024-03-05T10:30:00Z", "2024-03-05T11:30:00Z")
    look = lambda: busy.figures(FIRST, DAYS)  # noqa: E731
    assert busy.cost(look, lambda: busy.service.ingest(rows)) == (0, 0)
    extra = busy.row("auckland", "2024-03-09T10:30:00Z")
    assert busy.cost(look, lambda: busy.service.ingest([*rows, extra])) == (1, 1)


def test_days_without_readings(plant):
    look = lambda: plant.figures(date(2024, 1, 1), 60)  # noqa: E731
    look()
    assert plant.service.stats()["days"] == 0
    rows = plant.send("tromso", "2024-02-20T12:00:00Z", "2024-02-23T12:00:00Z")
    look()
    assert plant.service.stats()["days"] == 10, "20 to 29 February, the rest is before the first"
    assert plant.cost(look, lambda: None) == (0, 0)
    assert plant.cost(look, lambda: plant.send("tromso", "2024-02-21T12:00:00Z")) == (1, 1)
    assert plant.cost(look, lambda: plant.service.withdraw(rows[1]["id"])) == (1, 1)
    assert plant.cost(look, lambda: None) == (0, 0)


# What must not have moved.


def test_the_seat_belt_is_still_six_hours():
    now = [0.0]
    service = Service.open(SITES, clock=lambda: now[0])
    service.ingest([{"id": "a", "site": "hilo", "at": "2024-02-05T03:00:00Z", "kwh": 1}])
    service.day("hilo", date(2024, 2, 4))
    now[0] = 6 * 3600 - 1.0
    service.day("hilo", date(2024, 2, 4))
    assert service.stats()["days"] == 1


def test_alarms_still_compare_with_the_day_before_as_it_was_before_the_batch(plant):
    plant.send("auckland", *[f"2024-05-01T{12 + n}:00:00Z" for n in range(4)], kwh=2.0)
    # 2 May at the site: 11:45 UTC is the last quarter of it, 12:00 UTC starts 3 May
    rows = [
        plant.row("auckland", "2024-05-02T11:45:00Z", 11.0),
        plant.row("auckland", "2024-05-02T12:00:00Z", 11.0),
    ]
    alarms = plant.service.ingest(rows).alarms
    assert [(alarm.reading.id, alarm.usual_kwh) for alarm in alarms] == [(rows[1]["id"], 2.0)]


def test_settlement_is_still_by_utc_day(plant):
    plant.send("auckland", "2024-03-10T12:30:00+13:00", "2024-03-10T13:00:00+13:00")
    assert plant.service.settlement_lines(date(2024, 3, 9)) == [
        "auckland;2024-03-09T23:30:00Z;1.000"
    ]
    assert plant.service.settlement_lines(date(2024, 3, 10)) == [
        "auckland;2024-03-10T00:00:00Z;1.000"
    ]
