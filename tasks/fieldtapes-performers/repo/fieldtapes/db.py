"""Opening a catalogue and bringing it up to date."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import contextmanager
from pathlib import Path

from fieldtapes.errors import CatalogueError

MIGRATIONS = Path(__file__).resolve().parents[1] / "migrations"


def connect(path: str | Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    migrate(db)
    return db


def migrate(db: sqlite3.Connection) -> None:
    files = locked_migrations()
    version = db.execute("PRAGMA user_version").fetchone()[0]
    for path in files:
        if int(path.name[:4]) > version:
            db.executescript(path.read_text(encoding="utf-8"))


def locked_migrations() -> list[Path]:
    """All migrations in order, if they are what LOCK says."""
    lines = (MIGRATIONS / "LOCK").read_text(encoding="utf-8").splitlines()
    known = dict(line.split()[::-1] for line in lines)
    files = sorted(MIGRATIONS.glob("*.sql"))
    for path in files:
        if known.get(path.name) != hashlib.sha256(path.read_bytes()).hexdigest():
            raise CatalogueError(f"migrations/{path.name} is not what migrations/LOCK says")
    return files


@contextmanager
def transaction(db: sqlite3.Connection):
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
