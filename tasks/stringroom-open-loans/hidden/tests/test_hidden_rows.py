"""Every report beside what it said before, over many loans and days."""

import itertools
import random

import pytest

from stringroom import open_room, report

OUT = "l.returned_on IS NULL AND l.written_off_on IS NULL AND l.starts_on <= :today"
JOINED = "loans l JOIN instruments i ON i.id = l.instrument_id JOIN pupils p ON p.id = l.pupil_id"
BEFORE = {
    "board": f"SELECT i.id, i.kind, i.size, p.name FROM {JOINED} WHERE {OUT} ORDER BY i.kind, i.id",
    "overdue": "SELECT p.name, i.kind, i.id, l.due_on,"
    " CAST(julianday(:today) - julianday(l.due_on) AS INTEGER)"
    f" FROM {JOINED} WHERE {OUT} AND l.due_on < :today ORDER BY l.due_on, p.name, i.id",
    "reminders": f"SELECT p.teacher, p.name, i.kind, l.due_on FROM {JOINED} WHERE {OUT}"
    " AND l.due_on BETWEEN :today AND date(:today, '+14 days')"
    " ORDER BY p.teacher, l.due_on, p.name, i.id",
    "insurance": "SELECT i.id, i.kind, i.size, i.value_cents, l.written_off_on IS NOT NULL"
    " FROM loans l JOIN instruments i ON i.id = l.instrument_id"
    " WHERE l.returned_on IS NULL AND l.starts_on <= :today ORDER BY i.value_cents DESC, i.id",
}
DAYS = [f"{year}-{month:02}-{day:02}" for year in (2024, 2025, 2026) for month in range(1, 13) for day in (1, 6, 11, 21)]
FAR = ["1999-12-31", "2199-01-01"]


@pytest.fixture(scope="module")
def room():
    draw = random.Random(20250301)
    room = open_room(":memory:")
    for number in range(1, 241):
        kind = draw.choice(["violin", "viola", "cello"])
        room.execute("INSERT INTO instruments VALUES (?, ?, '4/4', ?)", (number, kind, 1000 * number))
    for number in range(1, 41):
        name = f"{draw.choice('ABCDE')} {number % 7}"
        room.execute("INSERT INTO pupils VALUES (?, ?, ?)", (number, name, f"teacher {number % 3}"))
    ends = itertools.cycle([(0, 0), (1, 0), (0, 1), (0, 0), (1, 1)])
    # one loan an instrument, so that the order of the rows is settled
    for number, (back, lost) in zip(range(1, 241), ends):
        start, due, end = sorted(draw.sample(DAYS, 3))
        if number % 2:  # a few days only, so that it can be due soon and not have begun
            due = DAYS[DAYS.index(start) + 1]
        room.execute(
            "INSERT INTO loans (instrument_id, pupil_id, starts_on, due_on, returned_on, written_off_on)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (number, draw.randint(1, 40), start, due, end if back else None, due if lost else None),
        )
    room.commit()
    yield room
    room.close()


@pytest.mark.parametrize("name", sorted(BEFORE))
def test_the_same_rows_in_the_same_order(room, name):
    lengths = set()
    for today in DAYS + FAR:
        expected = room.execute(BEFORE[name], {"today": today}).fetchall()
        assert report(room, name, today) == expected, today
        lengths.add(len(expected))
    assert len(lengths) > 3
