import pytest

from tally.ballots import Ballots
from tally.importer import Importer

FILMS = {"F1": "One", "F2": "Two"}


class Foyer:
    """A spool folder and a database; every `sync` is a run of its own, as from cron."""

    def __init__(self, folder):
        self.spool = folder / "spool"
        self.spool.mkdir()
        self.db = folder / "ballots.db"

    def sync(self, **files):
        for name, lines in files.items():
            self.put(name, *lines)
        ballots = Ballots(self.db)
        try:
            return Importer(ballots, FILMS).run(self.spool)
        finally:
            ballots.close()

    def put(self, name, *lines):
        (self.spool / name).write_text("\n".join(lines) + "\n", "utf-8")

    def kiosks(self):
        ballots = Ballots(self.db)
        try:
            return ballots.by_kiosk()
        finally:
            ballots.close()


@pytest.fixture
def foyer(tmp_path):
    return Foyer(tmp_path)
