"""The migration as tapeshelf applies it: the files, foreign keys on, and no Python of ours."""

import hashlib
import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from fieldtapes.cli import main

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"
RELEASED = {
    "0001_recordings.sql": "b31c2d9250f2a272fdec65bba6a09f12cbee7686e1db44814685bd013ed875c6",
    "0002_carriers.sql": "200ed561415e4f38fe4550b746bea707640a73c58053a29e3c9222fb69c90a55",
    "0003_exchange.sql": "f492ddf09145e176a216dcdd596cb40e0ba69cafc4db581ea4e16229b752b2a0",
}
RECORDINGS = [
    (1, "Vira", "Ana Pires (fiddle); Rui Lobo", "Braga", 1),
    (2, "Chula", "  Rui Lobo ;; Ana Pires(voice) ; ; ", "", 4),
    (3, "Malhão", "", "Porto", 1),
    (4, "Corridinho", " ; ", "", 1),
    (5, "Fandango", "Zé Roque (accordion); Rui Lobo; Zé Roque (voice); rui lobo", "", 2),
    (9, "Waltz", "Duo O'Neill; Quim (viola braguesa)", "Évora", 7),
    (10, "March", "Banda de Loures;Ana Pires;", "", 1),
]
EXPECTED = {
    1: [("Ana Pires", "fiddle"), ("Rui Lobo", None)],
    2: [("Rui Lobo", None), ("Ana Pires", "voice")],
    3: [],
    4: [],
    5: [("Zé Roque", "accordion"), ("Rui Lobo", None), ("rui lobo", None)],
    9: [("Duo O'Neill", None), ("Quim", "viola braguesa")],
    10: [("Banda de Loures", None), ("Ana Pires", None)],
}
TEXTS = {
    number: "; ".join(f"{name} ({what})" if what else name for name, what in parts)
    for number, parts in EXPECTED.items()
}


def scripts(first, last=9999):
    found = sorted(MIGRATIONS.glob("*.sql"))
    return [path for path in found if first <= int(path.name[:4]) <= last]


def apply(db, paths):
    for path in paths:
        db.executescript(path.read_text(encoding="utf-8"))


def opened(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug here
    return db


@pytest.fixture(scope="session")
def in_use(tmp_path_factory):
    """A catalogue as 0003 left it, in use for years."""
    path = tmp_path_factory.mktemp("in-use") / "tapes.db"
    db = opened(path)
    apply(db, scripts(1, 3))
    db.execute("BEGIN")
    db.executemany(
        "INSERT INTO recordings (id, title, performer, place, version) VALUES (?, ?, ?, ?, ?)", RECORDINGS
    )
    db.execute("INSERT INTO recordings (id, title) VALUES (40, 'gone')")
    db.execute("DELETE FROM recordings WHERE id = 40")
    db.executemany(
        "INSERT INTO carriers VALUES (?, ?, 'tape')", [("T1", 1), ("T2", 1), ("T3", 3), ("D9", 9)]
    )
    db.execute("INSERT INTO changes (recording_id, field, old, new) VALUES (2, 'performer', 'x', 'Rui Lobo')")
    db.execute("COMMIT")
    db.close()
    return path


@pytest.fixture
def path(tmp_path, in_use):
    return shutil.copy(in_use, tmp_path / "tapes.db")


@pytest.fixture
def migrated(path):
    db = opened(path)
    apply(db, scripts(4))
    yield db
    db.close()


def test_there_is_a_migration():
    assert scripts(4)


def test_everything_is_moved_over(migrated):
    rows = migrated.execute(
        "SELECT recording_id, position, name, instrument FROM recording_performers"
        " JOIN performers ON performers.id = performer_id ORDER BY recording_id, position"
    ).fetchall()
    assert rows == [
        (number, position, name, what)
        for number, parts in EXPECTED.items()
        for position, (name, what) in enumerate(parts, 1)
    ]


def test_a_name_is_there_once(migrated):
    names = [name for (name,) in migrated.execute("SELECT name FROM performers ORDER BY name")]
    assert names == sorted({name for parts in EXPECTED.values() for name, _ in parts})
    with pytest.raises(sqlite3.IntegrityError):
        migrated.execute("INSERT INTO performers (name) VALUES ('Rui Lobo')")


def test_the_old_column_is_gone(migrated):
    columns = [row[1] for row in migrated.execute("PRAGMA table_info(recordings)")]
    assert "performer" not in columns
    assert {"id", "title", "place", "version"} <= set(columns)


def test_the_catalogue_is_the_same_for_lisbon(migrated):
    cursor = migrated.execute("SELECT * FROM catalogue ORDER BY id")
    assert [column[0] for column in cursor.description] == ["id", "title", "performers", "place", "version"]
    assert cursor.fetchall() == [
        (number, title, TEXTS[number], place, version) for number, title, _, place, version in RECORDINGS
    ]


def test_lisbon_has_nothing_to_fetch(migrated):
    rows = migrated.execute("SELECT recording_id, field, old, new FROM changes").fetchall()
    assert rows == [(2, "performer", "x", "Rui Lobo")]


def test_carriers_are_still_there(migrated):
    rows = migrated.execute("SELECT shelfmark, recording_id FROM carriers ORDER BY shelfmark").fetchall()
    assert rows == [("D9", 9), ("T1", 1), ("T2", 1), ("T3", 3)]
    assert migrated.execute("PRAGMA foreign_key_check").fetchall() == []
    migrated.execute("DELETE FROM recordings WHERE id = 1")
    assert migrated.execute("SELECT count(*) FROM carriers").fetchone() == (2,)
    assert migrated.execute("SELECT count(*) FROM recording_performers WHERE recording_id = 1").fetchone() == (0,)


def test_the_other_triggers_work(migrated):
    migrated.execute("UPDATE recordings SET title = 'Vira Velha', place = 'Viana' WHERE id = 1")
    migrated.execute("UPDATE recordings SET title = 'Vira Velha' WHERE id = 1")
    rows = migrated.execute("SELECT recording_id, field, old, new FROM changes WHERE id > 1 ORDER BY field")
    assert rows.fetchall() == [(1, "place", "Braga", "Viana"), (1, "title", "Vira", "Vira Velha")]
    assert migrated.execute("SELECT version FROM catalogue WHERE id = 1").fetchone() == (3,)


def test_ids_are_not_used_again(migrated):
    cursor = migrated.execute("INSERT INTO recordings (title) VALUES ('new')")
    assert cursor.lastrowid == 41


def test_each_is_one_transaction():
    for script in scripts(4):
        text = re.sub(r"--.*", "", script.read_text(encoding="utf-8")).strip()
        number = int(script.name[:4])
        assert re.match(r"BEGIN( \w+)*\s*;", text, re.I)
        assert re.search(rf"PRAGMA\s+user_version\s*=\s*0*{number}\s*;\s*COMMIT( \w+)*\s*;$", text, re.I)


def test_released_ones_are_what_they_were():
    lines = (MIGRATIONS / "LOCK").read_text().splitlines()
    locked = {line.split()[1]: line.split()[0] for line in lines}
    for name, digest in RELEASED.items():
        assert hashlib.sha256((MIGRATIONS / name).read_bytes()).hexdigest() == digest
        assert locked[name] == digest


def test_our_own_program_migrates_too(path, capsys):
    assert main(["--db", str(path), "show", "5"]) == 0
    assert capsys.readouterr().out == (
        f"id: 5\ntitle: Fandango\nperformers: {TEXTS[5]}\nplace: \nversion: 2\n"
    )
