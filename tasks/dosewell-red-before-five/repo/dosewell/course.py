"""A course: the same dose for some days, maybe with a loading dose in front."""

from dataclasses import dataclass
from decimal import Decimal

from .dose import Dose, plan
from .errors import UnsuitableForm
from .rounding import plain, to_step, whole_up


@dataclass(frozen=True)
class Animal:
    species: str
    weight: Decimal


@dataclass(frozen=True)
class Course:
    dose: Dose
    loading: Dose  # None for most drugs
    times_per_day: int
    days: int

    @property
    def units(self):
        """All that is given, in tablets or millilitres."""
        doses = self.times_per_day * self.days
        if self.loading is None:
            return self.dose.units * doses
        return self.loading.units + self.dose.units * (doses - 1)

    @property
    def dispense(self):
        return whole_up(self.units)


def course(drug, form_name, animal, days):
    if days < 1:
        raise ValueError("a course has at least one day")
    dose = plan(drug, form_name, animal.species, animal.weight)
    return Course(dose, _loading(drug, form_name, animal), drug.times_per_day, days)


def _loading(drug, form_name, animal):
    range_ = drug.for_species(animal.species).loading
    if range_ is None:
        return None
    form = drug.form(form_name)
    units = to_step(range_.target * animal.weight / form.strength, form.step)
    if units * form.strength < range_.min * animal.weight:
        raise UnsuitableForm(
            f"{drug.name} {form_name} does not suit the loading dose"
            f" of a {animal.species} of {plain(animal.weight)} kg"
        )
    return Dose(units, units * form.strength)
