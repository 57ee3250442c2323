"""Rows of spool files as ballots."""

import csv
from dataclasses import dataclass

KNOWN = {"seq", "boot", "film", "stars", "comment"}


@dataclass(frozen=True)
class Row:
    """A line as it was read. Nothing is checked yet."""

    line: int
    seq: str
    boot: str
    film: str
    stars: str
    comment: str
    raw: str


class Reader:
    """Reads the files of one sync, one after the other."""

    def __init__(self):
        self._columns = None

    def rows(self, path):
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            for number, fields in enumerate(csv.reader(file), 1):
                if not fields:
                    continue
                if number == 1 and set(fields) <= KNOWN:
                    self._columns = fields
                    continue
                if self._columns is None:
                    raise ValueError(f"{path.name}: no header")
                yield self._row(number, fields)

    def _row(self, number, fields):
        # zip: a comment that was cut off is no reason to lose a ballot
        found = dict(zip(self._columns, fields))
        return Row(
            number,
            found.get("seq", ""),
            found.get("boot", "1"),
            found.get("film", ""),
            found.get("stars", ""),
            found.get("comment", ""),
            ",".join(fields),
        )
