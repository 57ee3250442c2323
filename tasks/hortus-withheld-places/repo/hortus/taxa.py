"""Names. A taxon has a parent, or is a synonym of another, or is at the top."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Taxon:
    id: int
    name: str
    parent: int | None = None
    synonym_of: int | None = None
    sensitive: bool = False


class Taxa:
    def __init__(self, taxa):
        self._by_id = {taxon.id: taxon for taxon in taxa}

    def __getitem__(self, taxon_id):
        return self._by_id[taxon_id]

    def accepted(self, taxon_id):
        taxon = self._by_id[taxon_id]
        while taxon.synonym_of is not None:
            taxon = self._by_id[taxon.synonym_of]
        return taxon

    def family(self, taxon_id):
        """The topmost taxon."""
        taxon = self.accepted(taxon_id)
        while taxon.parent is not None:
            taxon = self.accepted(taxon.parent)
        return taxon
