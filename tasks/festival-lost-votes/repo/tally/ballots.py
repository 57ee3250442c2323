"""The database of ballots."""

import sqlite3

SCHEMA = """
CREATE TABLE IF NOT EXISTS ballots (
    kiosk TEXT NOT NULL,
    day TEXT NOT NULL,
    boot INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    film TEXT NOT NULL,
    stars INTEGER NOT NULL,
    comment TEXT NOT NULL,
    PRIMARY KEY (kiosk, day, boot, seq)
)
"""


class Ballots:
    def __init__(self, path):
        self._db = sqlite3.connect(path)
        self._db.execute(SCHEMA)

    def add(self, kiosk, day, boot, seq, film, stars, comment):
        """False if the ballot has been counted before."""
        cursor = self._db.execute(
            "INSERT OR IGNORE INTO ballots VALUES (?, ?, ?, ?, ?, ?, ?)",
            (kiosk, day, boot, seq, film, stars, comment),
        )
        return cursor.rowcount == 1

    def commit(self):
        self._db.commit()

    def by_kiosk(self):
        rows = self._db.execute("SELECT kiosk, count(*) FROM ballots GROUP BY kiosk ORDER BY kiosk")
        return dict(rows.fetchall())

    def stars(self):
        """(film, number of ballots, sum of stars)"""
        return self._db.execute(
            "SELECT film, count(*), sum(stars) FROM ballots GROUP BY film"
        ).fetchall()

    def close(self):
        self._db.close()
