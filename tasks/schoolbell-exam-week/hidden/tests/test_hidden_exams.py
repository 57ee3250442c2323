"""What rings on every day of the school year, as `bells` says."""

import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIRST, LAST = date(2025, 8, 25), date(2026, 8, 31)
EXAMS = {date(2026, 6, day) for day in (8, 9, 11, 12)}
SPORTS = date(2026, 6, 10)
HOLIDAYS = (
    ("2025-10-06", "2025-10-18"),
    ("2025-12-22", "2026-01-05"),
    ("2026-02-16", "2026-02-21"),
    ("2026-04-03", "2026-04-18"),
    ("2026-05-14", "2026-05-16"),
    ("2026-07-11", "2026-08-24"),
)
LAST_DAYS = {date(2025, 12, 19), date(2026, 7, 10)}
AFTERNOON = ["13:15 long", "14:45 short", "15:00 long", "15:45 short"]
MORNING = ["07:55 long", "08:45 short", "08:55 long", "10:25 short", "10:45 long"]
BELLS = {
    "normal": [*MORNING, "12:20 soft", *AFTERNOON],
    "short": [*MORNING, "12:10 short"],
    "sports": ["08:30 long", "11:30 short", "14:30 short"],
    "silent": [],
}


def bells(*arguments):
    done = subprocess.run(["sh", "bin/bells", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines(), done.stderr


def before(day):
    """The plan of a day before anything was asked for."""
    if any(date.fromisoformat(a) <= day < date.fromisoformat(b) for a, b in HOLIDAYS):
        return "silent"
    if day in LAST_DAYS:
        return "short"
    if day == SPORTS:
        return "sports"
    return ("normal", "normal", "normal", "normal", "short", "silent", "silent")[day.weekday()]


@pytest.fixture(scope="module")
def year():
    code, lines, _ = bells("between", str(FIRST), str(LAST))
    assert code == 0
    found = {line.split()[0]: line.split()[2] for line in lines}
    assert len(found) == (LAST - FIRST).days + 1
    return found


@pytest.mark.parametrize("day", sorted(EXAMS), ids=str)
def test_a_day_of_exams(year, day):
    assert year[str(day)] == "exams"


def test_the_day_in_their_midst(year):
    assert year[str(SPORTS)] == "sports"


def test_the_other_days(year):
    days = [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]
    others = [day for day in days if day not in EXAMS]
    assert {str(day): year[str(day)] for day in others} == {str(day): before(day) for day in others}


def test_what_rings():
    morning = ["08:00 long", "09:30 short", "10:00 long", "12:30 soft"]
    assert bells("day", "2026-06-08") == (0, [*morning, *AFTERNOON], "")
    assert bells("day", "2026-06-12") == (0, [*morning, *AFTERNOON], "")


@pytest.mark.parametrize(
    ("plan", "day"),
    [("normal", "2026-06-15"), ("short", "2026-06-19"), ("sports", "2026-06-10"), ("silent", "2026-06-14")],
)
def test_the_other_plans_ring_as_before(plan, day):
    assert bells("day", day) == (0, BELLS[plan], "")


def test_the_town_is_content():
    assert bells("check") == (0, [], "")
