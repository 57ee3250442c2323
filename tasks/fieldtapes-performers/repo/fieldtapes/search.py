from __future__ import annotations

import sqlite3


def search(db: sqlite3.Connection, text: str) -> list[sqlite3.Row]:
    """Recordings with a text in title or performer, by id."""
    pattern = "%" + text.replace("%", "") + "%"
    return db.execute(
        "SELECT id, title, performer AS performers FROM recordings"
        " WHERE title LIKE ? OR performer LIKE ? ORDER BY id",
        (pattern, pattern),
    ).fetchall()
