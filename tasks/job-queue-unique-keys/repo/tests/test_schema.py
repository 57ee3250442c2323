import sqlite3
from contextlib import closing

import pytest

from errand import Queue
from errand.schema import LATEST, MIGRATIONS, SchemaError


def test_migrations_are_numbered_without_gaps():
    numbers = sorted(int(path.name[:4]) for path in MIGRATIONS.glob("*.sql"))
    assert numbers == list(range(1, LATEST + 1))


def test_table_made_by_hand(tmp_path):
    path = tmp_path / "jobs.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript((MIGRATIONS / "0001_jobs.sql").read_text())
        db.execute(
            "INSERT INTO jobs (kind, run_at, created_at, changed_at)"
            " VALUES ('mail', 1, 1, 1)"
        )
        db.commit()
    with Queue(path) as queue:
        assert [(job.kind, job.max_attempts) for job in queue.jobs()] == [("mail", 3)]


def test_file_from_the_future(tmp_path):
    path = tmp_path / "jobs.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaError, match="newer than this errand"):
        Queue(path)
