"""The file of a branch, brought up to date when it is opened."""

import sqlite3
from pathlib import Path

MIGRATIONS = Path(__file__).parent.parent / "sql" / "migrations"


def migrations():
    """(number, path), in their order."""
    found = sorted((int(path.name[:3]), path) for path in MIGRATIONS.glob("[0-9]*.sql"))
    assert [number for number, _ in found] == list(range(1, len(found) + 1)), "a number is missing"
    return found


def open_room(path):
    connection = sqlite3.connect(path)
    (reached,) = connection.execute("PRAGMA user_version").fetchone()
    for number, migration in migrations():
        if number > reached:
            # executescript commits, so the number goes into the same script
            text = migration.read_text(encoding="utf-8")
            connection.executescript(f"BEGIN;\n{text}\nPRAGMA user_version = {number};\nCOMMIT;")
    return connection
