"""Brings a queue file up to the schema this code needs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parent / "migrations"

LATEST = 2


class SchemaError(Exception):
    """The file cannot be used with this version of errand."""


def migrate(db: sqlite3.Connection) -> None:
    """Apply what is missing, all of it or nothing.

    Several processes may open an old file at the same moment, so the version is
    only believed once the write lock is held.
    """
    if _version(db) == LATEST:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        version = _version(db)
        if version > LATEST:
            raise SchemaError(
                f"queue file has schema {version}, newer than this errand ({LATEST})"
            )
        for number in range(version + 1, LATEST + 1):
            for statement in _statements(_read(number)):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {LATEST}")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _version(db: sqlite3.Connection) -> int:
    return db.execute("PRAGMA user_version").fetchone()[0]


def _read(number: int) -> str:
    (path,) = MIGRATIONS.glob(f"{number:04d}_*.sql")
    return path.read_text(encoding="utf-8")


def _statements(script: str) -> Iterator[str]:
    # executescript() would commit behind our back
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
