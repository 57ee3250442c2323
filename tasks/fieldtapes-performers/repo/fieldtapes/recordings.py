from __future__ import annotations

import sqlite3

from fieldtapes.db import transaction
from fieldtapes.errors import CatalogueError

FIELDS = ("title", "performer", "place")


def add(db: sqlite3.Connection, title: str, performer: str = "", place: str = "") -> int:
    if not title.strip():
        raise CatalogueError("a recording needs a title")
    with transaction(db):
        cursor = db.execute(
            "INSERT INTO recordings (title, performer, place) VALUES (?, ?, ?)",
            (title, performer, place),
        )
    return cursor.lastrowid


def get(db: sqlite3.Connection, recording_id: int) -> sqlite3.Row:
    row = db.execute("SELECT * FROM catalogue WHERE id = ?", (recording_id,)).fetchone()
    if row is None:
        raise CatalogueError(f"no recording {recording_id}")
    return row


def change(db: sqlite3.Connection, recording_id: int, field: str, text: str) -> None:
    """Set a field; the triggers write `changes`."""
    if field not in FIELDS:
        raise CatalogueError(f"no field {field}; there are {', '.join(FIELDS)}")
    get(db, recording_id)
    with transaction(db):
        db.execute(f"UPDATE recordings SET {field} = ? WHERE id = ?", (text, recording_id))


def remove(db: sqlite3.Connection, recording_id: int) -> None:
    get(db, recording_id)
    with transaction(db):
        db.execute("DELETE FROM recordings WHERE id = ?", (recording_id,))
