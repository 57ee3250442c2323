"""All readings, in memory and in an append-only journal.

``add`` only buffers: the journal is on a memory card, where every write costs
the same whether it holds one reading or a hundred. ``flush`` writes what was
buffered in one go, and only then do readings of it see it.
"""

import json
from pathlib import Path

from .model import Reading


class Repository:
    def __init__(self, journal=None):
        self._readings = {}
        self._pending = {}
        self._journal = Path(journal) if journal else None
        if self._journal and self._journal.exists():
            for line in self._journal.read_text(encoding="utf-8").splitlines():
                self._apply(json.loads(line))

    def add(self, reading):
        """Buffers a reading. False if we have one of this id already."""
        if reading.id in self._readings or reading.id in self._pending:
            return False
        self._pending[reading.id] = reading
        return True

    def flush(self):
        rows = [{"op": "put", **reading.to_row()} for reading in self._pending.values()]
        self._pending.clear()
        self._write(rows)

    def replace(self, reading):
        self._write([{"op": "put", **reading.to_row()}])

    def remove(self, reading_id):
        self._write([{"op": "drop", "id": reading_id}])

    def get(self, reading_id):
        try:
            return self._readings[reading_id]
        except KeyError:
            raise LookupError(f"no reading {reading_id!r}") from None

    def between(self, site_id, start, end):
        found = [r for r in self._readings.values() if r.site == site_id and start <= r.at < end]
        return sorted(found, key=lambda r: (r.at, r.id))

    def first(self, site_id):
        """The site's earliest reading, or None."""
        mine = (r for r in self._readings.values() if r.site == site_id)
        return min(mine, key=lambda r: (r.at, r.id), default=None)

    def __iter__(self):
        return iter(sorted(self._readings.values(), key=lambda r: (r.at, r.id)))

    def _write(self, rows):
        if self._journal and rows:
            with self._journal.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        for row in rows:
            self._apply(row)

    def _apply(self, row):
        if row["op"] == "put":
            self._readings[row["id"]] = Reading.from_row(row)
        else:
            self._readings.pop(row["id"], None)
