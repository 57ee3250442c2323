"""Worked out by hand from docs/rules.md and signed. A. Rautio, pharmacist.

Do not edit. A row that fails is a fault of the program.
"""

from decimal import Decimal as D

import pytest

from dosewell import UnsuitableForm, plan

ROWS = [
    # drug, form, species, kg, mg of one dose (None: the form does not suit)
    ("carprodyl", "tab50", "dog", "12.4", "50"),
    ("carprodyl", "tab50", "dog", "31", "125"),
    ("carprodyl", "tab20", "dog", "5.2", "20"),
    ("carprodyl", "tab20", "cat", "5.1", "10"),
    ("carprodyl", "tab20", "cat", "4.2", None),
    ("meloxan", "oral15", "dog", "10", "1.05"),
    ("meloxan", "oral05", "cat", "3.4", "0.175"),
    ("meloxan", "tab1", "cat", "3.4", None),
    ("amoxivet", "tab250", "dog", "20", "250"),
    ("amoxivet", "syrup", "cat", "3.4", "37.5"),
    ("tramodol", "tab50", "dog", "4.2", "12.5"),
]


@pytest.mark.parametrize("drug, form, species, kg, mg", ROWS)
def test_signed(formulary, drug, form, species, kg, mg):
    if mg is None:
        with pytest.raises(UnsuitableForm):
            plan(formulary[drug], form, species, D(kg))
    else:
        assert plan(formulary[drug], form, species, D(kg)).mg == D(mg)
