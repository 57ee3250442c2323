"""One dose: how many tablets or millilitres."""

from dataclasses import dataclass
from decimal import Decimal

from .errors import UnsuitableForm
from .rounding import plain, to_step


@dataclass(frozen=True)
class Dose:
    units: Decimal  # tablets or millilitres
    mg: Decimal

    def per_kg(self, weight):
        return self.mg / weight


def plan(drug, form_name, species_name, weight):
    """The dose that is given each time."""
    form = drug.form(form_name)
    species = drug.for_species(species_name)
    units = to_step(species.dose.target * weight / form.strength, form.step)
    mg = units * form.strength
    # Only the lower end: rounded down it cannot get over the maximum.
    if mg < species.dose.min * weight:
        raise UnsuitableForm(
            f"{drug.name} {form_name} does not suit a {species_name} of {plain(weight)} kg"
        )
    return Dose(units, mg)
