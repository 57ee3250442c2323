"""The text on the bag."""

from decimal import Decimal

from .course import Animal, course
from .rounding import plain

OFTEN = {1: "once a day", 2: "twice a day", 3: "three times a day"}
PARTS = {Decimal("0.25"): "1/4", Decimal("0.5"): "1/2", Decimal("0.75"): "3/4"}


def label_for(formulary, drug_name, form_name, species, weight, days):
    drug = formulary[drug_name]
    weight = Decimal(weight)
    form = drug.form(form_name)
    plan = course(drug, form_name, Animal(species, weight), days)
    lines = [f"{drug.name} {plain(form.strength)} {_form(form)}"]
    if plan.loading is not None:
        lines.append(
            f"First dose only: {_amount(plan.loading.units, form)}"
            f" ({plain(plan.loading.mg)} mg)."
        )
    lines.append(
        f"Give {_amount(plan.dose.units, form)} {OFTEN[plan.times_per_day]}"
        f" for {days} day{'s' if days != 1 else ''}."
    )
    lines.append(
        f"Each dose: {plain(plan.dose.mg)} mg"
        f" ({plain(plan.dose.per_kg(weight).quantize(Decimal('0.01')))} mg/kg)."
        f" Dispense: {_amount(plan.dispense, form)}."
    )
    return "\n".join(lines)


def _form(form):
    return "mg tablets" if form.kind == "tablet" else "mg/ml"


def _amount(units, form):
    if form.kind == "liquid":
        return f"{plain(units)} ml"
    whole, part = divmod(units, 1)
    words = [plain(whole)] if whole else []
    if part:
        words.append(PARTS[part.normalize()])
    return f"{' '.join(words) or '0'} tablet{'s' if units > 1 else ''}"
