"""One sync: everything in the spool goes into the database."""

import logging
from dataclasses import dataclass, field
from pathlib import Path

from .films import load_films
from .names import parse_name
from .reader import Reader

log = logging.getLogger("tally")


@dataclass
class Outcome:
    files: list = field(default_factory=list)
    counted: int = 0
    duplicates: int = 0
    rejected: int = 0


class Importer:
    def __init__(self, ballots, films=None):
        self._ballots = ballots
        self._films = films if films is not None else load_films()

    def run(self, spool):
        """Imports what lies in the folder and moves it to `done/`."""
        spool = Path(spool)
        done = spool / "done"
        done.mkdir(exist_ok=True)
        reader = Reader()
        outcome = Outcome()
        for path in sorted(spool.glob("*.csv")):
            name = parse_name(path.name)
            if name is None:
                log.warning("%s is no spool file", path.name)
                continue
            self._file(reader, path, name, outcome)
            self._ballots.commit()
            path.replace(done / path.name)
            outcome.files.append(path.name)
        return outcome

    def _file(self, reader, path, name, outcome):
        counted, duplicates = outcome.counted, outcome.duplicates
        for row in reader.rows(path):
            problem = self._problem(row)
            if problem:
                outcome.rejected += 1
                log.warning("%s:%d rejected, %s: %s", path.name, row.line, problem, row.raw)
            elif self._ballots.add(
                name.kiosk,
                name.day,
                int(row.boot),
                int(row.seq),
                row.film,
                int(row.stars),
                row.comment,
            ):
                outcome.counted += 1
            else:
                outcome.duplicates += 1
        log.info(
            "%s: %d counted, %d duplicates",
            path.name,
            outcome.counted - counted,
            outcome.duplicates - duplicates,
        )

    def _problem(self, row):
        if row.film not in self._films:
            return f"no film {row.film!r}"
        if row.stars not in ("1", "2", "3", "4", "5"):
            return f"{row.stars!r} stars"
        if not (row.seq.isdecimal() and row.boot.isdecimal()):
            return "no number"
        return None
