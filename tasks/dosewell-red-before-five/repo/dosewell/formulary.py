"""data/formulary.json as objects. The file is the pharmacist's."""

import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from .errors import UnknownDrug

DEFAULT = Path(__file__).parent.parent / "data" / "formulary.json"


@dataclass(frozen=True)
class Range:
    """mg/kg of one dose."""

    min: Decimal
    target: Decimal
    max: Decimal


@dataclass(frozen=True)
class Species:
    dose: Range
    loading: Range = None
    max_day: Decimal = None


@dataclass(frozen=True)
class Form:
    kind: str
    strength: Decimal  # mg in a tablet, or in a millilitre
    step: Decimal  # smallest part of a tablet, or mark of the syringe in ml


@dataclass(frozen=True)
class Drug:
    name: str
    times_per_day: int
    forms: dict
    species: dict

    def form(self, name):
        try:
            return self.forms[name]
        except KeyError:
            raise UnknownDrug(f"{self.name} does not come as {name}") from None

    def for_species(self, name):
        try:
            return self.species[name]
        except KeyError:
            raise UnknownDrug(f"{self.name} is not for a {name}") from None


class Formulary:
    def __init__(self, drugs):
        self.drugs = drugs

    def __getitem__(self, name):
        try:
            return self.drugs[name]
        except KeyError:
            raise UnknownDrug(f"no drug {name}") from None

    def __iter__(self):
        return iter(self.drugs.values())

    def problems(self):
        for drug in self:
            for name, species in drug.species.items():
                for what, range_ in (("dose", species.dose), ("loading dose", species.loading)):
                    if range_ and not range_.min <= range_.target <= range_.max:
                        yield f"{drug.name}, {name}: {what} is not min <= target <= max"
                if species.loading and (drug.times_per_day != 1 or species.max_day):
                    yield f"{drug.name}, {name}: a loading dose is for once a day only (rule 7)"


def load_formulary(path=None):
    raw = json.loads(Path(path or DEFAULT).read_text("utf-8"))
    return Formulary({name: _drug(name, entry) for name, entry in raw.items()})


def _drug(name, entry):
    forms = {key: _form(form) for key, form in entry["forms"].items()}
    species = {key: _species(one) for key, one in entry["species"].items()}
    return Drug(name, entry["times_per_day"], forms, species)


def _form(entry):
    if entry["kind"] == "tablet":
        step = Decimal(1) / Decimal(entry["parts"])
    else:
        step = Decimal(entry["mark"])
    return Form(entry["kind"], Decimal(entry["strength"]), step)


def _species(entry):
    loading = entry.get("loading")
    max_day = entry.get("max_day")
    return Species(
        _range(entry),
        _range(loading) if loading else None,
        Decimal(max_day) if max_day else None,
    )


def _range(entry):
    return Range(Decimal(entry["min"]), Decimal(entry["target"]), Decimal(entry["max"]))
