import pytest

from fieldtapes import db as database
from fieldtapes.errors import CatalogueError


def test_a_changed_migration_is_refused(tmp_path, monkeypatch):
    for path in database.MIGRATIONS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    first = tmp_path / "0001_recordings.sql"
    first.write_text(first.read_text() + "\n")
    monkeypatch.setattr(database, "MIGRATIONS", tmp_path)
    with pytest.raises(CatalogueError):
        database.connect(":memory:")


def test_opening_twice(tmp_path):
    database.connect(tmp_path / "tapes.db").close()
    db = database.connect(tmp_path / "tapes.db")
    assert db.execute("PRAGMA user_version").fetchone()[0] >= 3
    db.close()
