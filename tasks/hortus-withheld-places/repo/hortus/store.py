"""Everything we have, read once."""

import json
from pathlib import Path

from .specimens import Specimen
from .taxa import Taxa, Taxon


class Store:
    def __init__(self, taxa, specimens, changes=()):
        self.taxa = Taxa(taxa)
        self.specimens = {specimen.id: specimen for specimen in specimens}
        self.changes = list(changes)

    @classmethod
    def load(cls, folder):
        def rows(name):
            return json.loads((Path(folder) / name).read_text(encoding="utf-8"))

        return cls(
            [Taxon(**row) for row in rows("taxa.json")],
            [Specimen(**row) for row in rows("specimens.json")],
            rows("changes.json"),
        )

    def all(self):
        return list(self.specimens.values())
