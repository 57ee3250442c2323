from decimal import Decimal as D

import pytest

from dosewell import Animal, course


def test_without_loading(formulary):
    plan = course(formulary["amoxivet"], "tab250", Animal("dog", D("20")), 7)
    assert plan.loading is None
    assert plan.dose.units == D("1")
    assert plan.units == D("14")


def test_loading_replaces_the_first_dose(formulary):
    plan = course(formulary["meloxan"], "oral05", Animal("cat", D("4")), 3)
    assert plan.loading.mg == D("0.4")
    assert plan.dose.mg == D("0.2")
    assert plan.units == D("0.8") + 2 * D("0.4")
    assert plan.dispense == 2


def test_no_days(formulary):
    with pytest.raises(ValueError):
        course(formulary["amoxivet"], "tab250", Animal("dog", D("20")), 0)
