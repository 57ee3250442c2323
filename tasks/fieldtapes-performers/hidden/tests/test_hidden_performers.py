"""Performers on the command line, and what Lisbon sees of it."""

import shutil
import sqlite3

import pytest

from fieldtapes.cli import main


class Tapes:
    def __init__(self, path, capsys):
        self.path, self.capsys = str(path), capsys

    def __call__(self, *arguments):
        code = main(["--db", self.path, *map(str, arguments)])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def ok(self, *arguments):
        code, out, err = self(*arguments)
        assert code == 0, err
        return out

    def add(self, *texts):
        for number, text in enumerate(texts):
            self.ok("add", f"tune {number}", "--performer", text)

    def query(self, sql):
        db = sqlite3.connect(self.path)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def performers(self, number):
        return self.query(f"SELECT performers FROM catalogue WHERE id = {number}")[0][0]

    def version(self, number):
        return self.query(f"SELECT version FROM catalogue WHERE id = {number}")[0][0]

    @property
    def changes(self):
        return self.query("SELECT recording_id, field, old, new FROM changes ORDER BY id")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    connect = sqlite3.connect

    def quick(*args, **options):
        db = connect(*args, **options)
        db.execute("PRAGMA synchronous = OFF")
        return db

    monkeypatch.setattr(sqlite3, "connect", quick)


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A new catalogue; made once, since a transaction waits for the disk."""
    path = tmp_path_factory.mktemp("empty") / "tapes.db"
    assert main(["--db", str(path), "search", "nothing"]) == 0
    return path


@pytest.fixture
def tapes(tmp_path, empty, capsys):
    return Tapes(shutil.copy(empty, tmp_path / "tapes.db"), capsys)


TEXTS = [
    ("", ""),
    ("Ana Pires", "Ana Pires"),
    ("Ana Pires (fiddle); Rui Lobo", "Ana Pires (fiddle); Rui Lobo"),
    (" Ana Pires(fiddle) ;; Rui Lobo ; ", "Ana Pires (fiddle); Rui Lobo"),
    ("Rui; Ana (voice); Rui (drum)", "Rui; Ana (voice)"),
    ("Rui (drum); rui; Rui", "Rui (drum); rui"),
    (" ; ", ""),
]


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_add(tapes, text, shown):
    assert tapes.ok("add", "Vira", "--performer", text, "--place", "Braga") == "1\n"
    assert tapes.ok("show", 1) == f"id: 1\ntitle: Vira\nperformers: {shown}\nplace: Braga\nversion: 1\n"
    assert tapes.changes == []


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_set(tapes, text, shown):
    tapes.add("Somebody Else (flute)")
    tapes.ok("set", 1, "performer", text)
    assert tapes.performers(1) == shown
    assert tapes.changes == [(1, "performer", "Somebody Else (flute)", shown)]
    assert tapes.version(1) == 2
    positions = tapes.query("SELECT position FROM recording_performers ORDER BY position")
    assert [position for (position,) in positions] == list(range(1, len(positions) + 1))


def test_setting_what_it_is_already(tapes):
    tapes.add("Ana Pires (fiddle); Rui Lobo")
    tapes.ok("set", 1, "performer", "Ana Pires (fiddle); Rui Lobo")
    tapes.ok("set", 1, "performer", " Ana Pires (fiddle);Rui Lobo;")
    assert tapes.changes == []
    assert tapes.version(1) == 1


def test_small_changes_are_changes(tapes):
    tapes.add("Ana; Rui")
    for text in ("Rui; Ana", "Rui (drum); Ana", "rui (drum); Ana"):
        tapes.ok("set", 1, "performer", text)
    assert tapes.changes == [
        (1, "performer", "Ana; Rui", "Rui; Ana"),
        (1, "performer", "Rui; Ana", "Rui (drum); Ana"),
        (1, "performer", "Rui (drum); Ana", "rui (drum); Ana"),
    ]
    assert tapes.version(1) == 4


def test_titles_are_told_as_before(tapes):
    tapes.add("Ana")
    tapes.ok("set", 1, "title", "Vira")
    tapes.ok("set", 1, "performer", "Rui")
    tapes.ok("set", 1, "place", "Braga")
    assert tapes.changes == [
        (1, "title", "tune 0", "Vira"),
        (1, "performer", "Ana", "Rui"),
        (1, "place", "", "Braga"),
    ]
    assert tapes.version(1) == 4


def test_search_prints_each_once(tapes):
    tapes.add("Ana Pires; Ana Lobo (fiddle)", "Rui", "ana; Rui")
    tapes.ok("add", "Ana's waltz")
    assert tapes.ok("search", "ana") == (
        "1\ttune 0\tAna Pires; Ana Lobo (fiddle)\n3\ttune 2\tana; Rui\n4\tAna's waltz\t\n"
    )


def test_performers(tapes):
    tapes.add("Rui; Ana (voice)", "Zé; Rui (drum)", "Rui; Bea")
    tapes.ok("set", 2, "performer", "Rui")
    tapes.ok("remove", 3)
    assert tapes.ok("performers") == "Ana\t1\nRui\t2\n"


def test_by(tapes):
    tapes.add("Rui Lobo Filho", "Ana; Rui Lobo (drum)", "Rui Lobo; Ana", "rui lobo")
    assert tapes.ok("by", "Rui Lobo") == (
        "2\ttune 1\tAna; Rui Lobo (drum)\n3\ttune 2\tRui Lobo; Ana\n"
    )
    assert tapes.ok("by", "Lobo") == ""


def test_rename(tapes):
    tapes.add("R. Lobo (drum); Ana", "Ana; R. Lobo", "Ana")
    tapes.ok("rename-performer", "R. Lobo", "Rui Lobo")
    assert [tapes.performers(number) for number in (1, 2, 3)] == ["Rui Lobo (drum); Ana", "Ana; Rui Lobo", "Ana"]
    assert sorted(tapes.changes) == [
        (1, "performer", "R. Lobo (drum); Ana", "Rui Lobo (drum); Ana"),
        (2, "performer", "Ana; R. Lobo", "Ana; Rui Lobo"),
    ]
    assert [tapes.version(number) for number in (1, 2, 3)] == [2, 2, 1]
    assert tapes.query("SELECT name FROM performers ORDER BY name") == [("Ana",), ("Rui Lobo",)]


def test_rename_into_somebody_who_is_there(tapes):
    tapes.add(
        "Ana; R. Lobo (drum); Bea; Rui Lobo (voice)",
        "Rui Lobo (voice); R. Lobo (drum); Ana",
        "R. Lobo; Ana",
        "Rui Lobo",
    )
    tapes.ok("rename-performer", "R. Lobo", "Rui Lobo")
    assert [tapes.performers(number) for number in (1, 2, 3, 4)] == [
        "Ana; Rui Lobo (drum); Bea",
        "Rui Lobo (voice); Ana",
        "Rui Lobo; Ana",
        "Rui Lobo",
    ]
    assert [tapes.version(number) for number in (1, 2, 3, 4)] == [2, 2, 2, 1]
    assert [row[0] for row in sorted(tapes.changes)] == [1, 2, 3]
    assert tapes.ok("performers") == "Ana\t3\nBea\t1\nRui Lobo\t4\n"
    assert tapes.query("SELECT name FROM performers ORDER BY name") == [("Ana",), ("Bea",), ("Rui Lobo",)]
    positions = tapes.query("SELECT position FROM recording_performers WHERE recording_id = 1 ORDER BY 1")
    assert positions == [(1,), (2,), (3,)]


def test_rename_nobody(tapes):
    tapes.add("Rui Lobo")
    code, out, err = tapes("rename-performer", "Rui", "Ana")
    assert (code, out) == (1, "")
    assert err
    assert tapes.performers(1) == "Rui Lobo"
    assert tapes.changes == []


def test_removing_a_recording(tapes):
    tapes.add("Rui; Ana")
    tapes.ok("remove", 1)
    assert tapes.query("SELECT * FROM recording_performers") == []
    assert tapes.changes == []
