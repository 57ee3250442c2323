from decimal import Decimal as D

import pytest

from dosewell import UnknownDrug, UnsuitableForm, plan


def test_tablets(formulary):
    dose = plan(formulary["carprodyl"], "tab50", "dog", D("12.4"))
    assert (dose.units, dose.mg) == (D("1"), D("50"))


def test_nearest_not_down(formulary):
    # 49.2 mg; rounded down it would be 3/4 of a tablet
    assert plan(formulary["carprodyl"], "tab50", "dog", D("12.3")).units == D("1")


def test_liquid(formulary):
    dose = plan(formulary["meloxan"], "oral15", "dog", D("10"))
    assert dose.units == D("0.7")
    assert dose.mg == D("1.05")


def test_under_the_minimum(formulary):
    with pytest.raises(UnsuitableForm, match="amoxivet tab250 does not suit a cat of 2 kg"):
        plan(formulary["amoxivet"], "tab250", "cat", D("2"))


def test_not_for_this_species(formulary):
    with pytest.raises(UnknownDrug, match="not for a rabbit"):
        plan(formulary["carprodyl"], "tab20", "rabbit", D("2"))


def test_no_such_form(formulary):
    with pytest.raises(UnknownDrug, match="does not come as paste"):
        plan(formulary["carprodyl"], "paste", "dog", D("2"))
