"""Opens a book: migrations that have not run yet, then all views anew."""

import sqlite3
from pathlib import Path

SQL = Path(__file__).parent.parent / "sql"


def open_book(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    done = db.execute("PRAGMA user_version").fetchone()[0]
    for number, file in enumerate(sorted((SQL / "migrations").glob("*.sql")), start=1):
        if number > done:
            db.executescript(
                f"BEGIN;\n{file.read_text(encoding='utf-8')}\nPRAGMA user_version = {number};\nCOMMIT;"
            )
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        db.execute(f'DROP VIEW "{name}"')
    for file in sorted((SQL / "views").glob("*.sql")):
        db.executescript(file.read_text(encoding="utf-8"))
    db.commit()
    return db
