"""One place for the rule, in new files and in those of the laptops."""

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from stringroom import open_room, report

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "sql" / "reports"
THREE = ("board", "overdue", "reminders")
DAY = "2025-03-01"

# A file as it is on the laptops.
VERSION_3 = """
CREATE TABLE instruments (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, size TEXT NOT NULL DEFAULT '4/4', value_cents INTEGER NOT NULL
);
CREATE TABLE pupils (id INTEGER PRIMARY KEY, name TEXT NOT NULL, teacher TEXT NOT NULL);
CREATE TABLE loans (
    id INTEGER PRIMARY KEY,
    instrument_id INTEGER NOT NULL REFERENCES instruments,
    pupil_id INTEGER NOT NULL REFERENCES pupils,
    starts_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    returned_on TEXT
);
ALTER TABLE loans ADD COLUMN written_off_on TEXT;
PRAGMA user_version = 3;
"""
DATA = """
INSERT INTO instruments VALUES (1, 'violin', '1/2', 60000), (2, 'cello', '4/4', 420000);
INSERT INTO pupils VALUES (1, 'Ida', 'Koch'), (2, 'Max', 'Ruiz');
INSERT INTO loans VALUES
    (1, 1, 1, '2025-01-01', '2025-02-20', NULL, NULL),
    (2, 2, 2, '2025-01-01', '2025-03-05', NULL, NULL),
    (3, 1, 2, '2025-01-01', '2025-02-20', '2025-02-19', NULL),
    (4, 1, 2, '2025-01-01', '2025-02-20', NULL, '2025-02-19'),
    (5, 1, 2, '2025-01-01', '2025-02-20', '2025-02-25', '2025-02-19'),
    (6, 1, 2, '2999-01-01', '2999-02-20', NULL, NULL);
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A branch's files that the program has opened once: a new one, one of the laptops."""
    folder = tmp_path_factory.mktemp("files")
    old = sqlite3.connect(folder / "version 3")
    old.executescript(f"BEGIN; {VERSION_3} COMMIT;")
    old.close()
    for name in ("new", "version 3"):
        room = open_room(folder / name)
        room.executescript(f"BEGIN; {DATA} COMMIT;")
        room.close()
    return folder


@pytest.fixture(params=["new", "version 3"])
def file(request, files, tmp_path):
    return shutil.copy(files / request.param, tmp_path / "room.db")


def test_the_view_is_in_the_file(file):
    plain = sqlite3.connect(file)
    found = plain.execute("SELECT type FROM sqlite_master WHERE name = 'open_loans'").fetchall()
    assert found == [("view",)]
    assert plain.execute("SELECT id FROM open_loans ORDER BY id").fetchall() == [(1,), (2,), (6,)]


def test_it_has_all_columns_of_loans(file):
    plain = sqlite3.connect(file)
    names = [row[1] for row in plain.execute("PRAGMA table_info(open_loans)")]
    assert {row[1] for row in plain.execute("PRAGMA table_info(loans)")} <= set(names)
    row = dict(zip(names, plain.execute("SELECT * FROM open_loans WHERE id = 2").fetchone()))
    assert (row["instrument_id"], row["pupil_id"], row["due_on"]) == (2, 2, "2025-03-05")


def test_opening_it_again_changes_nothing(file):
    open_room(file).close()
    room = open_room(file)
    assert room.execute("SELECT count(*) FROM open_loans").fetchone() == (3,)
    assert len(report(room, "board", DAY)) == 2


def test_the_rule_is_in_one_place(file):
    """In repair, tried out: what the view leaves out is gone from three reports."""
    room = open_room(file)
    (text,) = room.execute("SELECT sql FROM sqlite_master WHERE name = 'open_loans'").fetchone()
    assert text
    before = {name: report(room, name, DAY) for name in (*THREE, "insurance")}
    assert all(before.values())
    room.executescript(
        "DROP VIEW open_loans; CREATE VIEW open_loans AS SELECT * FROM loans WHERE id > 6;"
    )
    assert [report(room, name, DAY) for name in THREE] == [[], [], []]
    assert report(room, "insurance", DAY) == before["insurance"]


@pytest.mark.parametrize("name", THREE)
def test_a_report_does_not_have_the_rule(name):
    text = re.sub(r"--[^\n]*", "", (REPORTS / f"{name}.sql").read_text(encoding="utf-8"))
    words = set(re.findall(r"\w+", text.lower()))
    assert "open_loans" in words
    assert words & {"returned_on", "written_off_on"} == set()
    assert re.search(r"(\bfrom|\bjoin|,)\s+loans\b", text.lower()) is None
