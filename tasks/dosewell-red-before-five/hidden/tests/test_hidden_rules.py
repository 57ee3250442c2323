"""docs/rules.md by exhaustive search, in fractions, through plan, course and the label."""

import json
from decimal import Decimal as D
from fractions import Fraction as F

import pytest

from dosewell import Animal, UnsuitableForm, course, label_for, load_formulary, plan

# The pharmacist's figures of 2.3; the hidden tests bring their own copy.
FIGURES = {
    "carprodyl": (1, {"tab20": ("tablet", "20", "1/2"), "tab50": ("tablet", "50", "1/4")}, {
        "dog": ("3", "4", "4.4", None, None), "cat": ("1.5", "2", "2.2", None, None)}),
    "meloxan": (1, {"oral15": ("liquid", "1.5", "0.1"), "oral05": ("liquid", "0.5", "0.05"), "tab1": ("tablet", "1", "1/4")}, {
        "dog": ("0.08", "0.1", "0.12", None, ("0.17", "0.2", "0.21")),
        "cat": ("0.03", "0.05", "0.06", None, ("0.08", "0.1", "0.11"))}),
    "amoxivet": (2, {"tab250": ("tablet", "250", "1/2"), "tab50": ("tablet", "50", "1"), "syrup": ("liquid", "50", "0.25")}, {
        "dog": ("10", "12.5", "15", "26", None), "cat": ("10", "12.5", "15", "26", None),
        "rabbit": ("6", "7.5", "9", None, None)}),
    "tramodol": (3, {"tab50": ("tablet", "50", "1/4"), "drops": ("liquid", "100", "0.025")}, {
        "dog": ("2", "3", "5", "9.5", None), "cat": ("1", "1.5", "2", "5", None)}),
    "invented": (2, {"tab7": ("tablet", "7", "1/2"), "sip": ("liquid", "3", "0.2")}, {
        "ferret": ("2", "3", "3.1", "6.1", None), "goat": ("1", "3", "3", None, None)}),
}  # fmt: skip
WEIGHTS = [D(n) / 10 for n in range(3, 400, 13)] + [D(n) / 4 for n in range(1, 160, 7)]


@pytest.fixture(scope="module")
def drugs(tmp_path_factory):
    raw = {}
    for name, (times, forms, species) in FIGURES.items():
        raw[name] = {
            "times_per_day": times,
            "forms": {
                key: {"kind": kind, "strength": strength}
                | ({"mark": step} if kind == "liquid" else {"parts": F(step).denominator})
                for key, (kind, strength, step) in forms.items()
            },
            "species": {
                key: {"min": low, "target": target, "max": high}
                | ({"max_day": day} if day else {})
                | ({"loading": dict(zip(("min", "target", "max"), first))} if first else {})
                for key, (low, target, high, day, first) in species.items()
            },
        }
    path = tmp_path_factory.mktemp("formulary") / "formulary.json"
    path.write_text(json.dumps(raw), "utf-8")
    return load_formulary(path)


def wanted(form, figures, weight, times=1, day=None):
    """Units that may be given and should be, or None; by looking at every step there is."""
    low, target, high = (F(x) * F(weight) for x in figures)
    if day is not None:
        high = min(high, F(day) * F(weight) / times)
    strength, step = F(form[1]), F(form[2])
    steps = range(int(2 * target / strength / step) + 3)
    nearest = min(steps, key=lambda n: (abs(n * step * strength - target), n))
    if nearest * step * strength > high:
        nearest = max(n for n in steps if n * step * strength <= high)
    return nearest * step if nearest * step * strength >= low else None


def cases():
    for name, (times, forms, species) in FIGURES.items():
        for form_name, form in forms.items():
            for kind, figures in species.items():
                yield pytest.param(name, form_name, kind, times, form, figures, id=f"{name}-{form_name}-{kind}")


@pytest.mark.parametrize("name, form_name, species, times, form, figures", list(cases()))
def test_every_dose(drugs, name, form_name, species, times, form, figures):
    drug = drugs[name]
    for weight in WEIGHTS:
        units = wanted(form, figures[:3], weight, times, figures[3])
        if units is None:
            with pytest.raises(UnsuitableForm):
                plan(drug, form_name, species, weight)
        else:
            dose = plan(drug, form_name, species, weight)
            assert (F(dose.units), F(dose.mg)) == (units, units * F(form[1])), weight


@pytest.mark.parametrize("form_name", ["oral15", "oral05", "tab1"])
@pytest.mark.parametrize("species", ["dog", "cat"])
def test_every_course_with_a_loading_dose(drugs, form_name, species):
    times, forms, kinds = FIGURES["meloxan"]
    form, figures = forms[form_name], kinds[species]
    seen = set()
    for weight in WEIGHTS:
        first = wanted(form, figures[4], weight)
        then = wanted(form, figures[:3], weight)
        animal = Animal(species, weight)
        if first is None or then is None:
            with pytest.raises(UnsuitableForm):
                course(drugs["meloxan"], form_name, animal, 4)
            seen.add("refused")
        else:
            found = course(drugs["meloxan"], form_name, animal, 4)
            assert (F(found.loading.units), F(found.dose.units)) == (first, then), weight
            assert F(found.units) == first + 3 * then
            seen.add("given")
    assert seen == {"refused", "given"}


def test_exactly_the_maximum_is_fine(drugs):
    # target and maximum of the invented goat are the same figure
    assert plan(drugs["invented"], "tab7", "goat", D("3.5")).mg == D("10.5")


def test_labels_that_were_right_stay(drugs):
    assert label_for(drugs, "carprodyl", "tab50", "dog", "12.3", 5) == (
        "carprodyl 50 mg tablets\n"
        "Give 1 tablet once a day for 5 days.\n"
        "Each dose: 50 mg (4.07 mg/kg). Dispense: 5 tablets."
    )
    assert label_for(drugs, "meloxan", "oral15", "dog", "10", 3) == (
        "meloxan 1.5 mg/ml\n"
        "First dose only: 1.3 ml (1.95 mg).\n"
        "Give 0.7 ml once a day for 3 days.\n"
        "Each dose: 1.05 mg (0.1 mg/kg). Dispense: 3 ml."
    )


def test_no_label_where_the_loading_dose_does_not_suit(drugs):
    with pytest.raises(UnsuitableForm):
        label_for(drugs, "meloxan", "tab1", "cat", "2.0", 3)
