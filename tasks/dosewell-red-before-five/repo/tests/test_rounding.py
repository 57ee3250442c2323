from decimal import Decimal as D

import pytest

from dosewell.rounding import plain, to_step, whole_up


@pytest.mark.parametrize(
    "value, step, expected",
    [
        ("1.1", "0.5", "1"),
        ("1.3", "0.5", "1.5"),
        ("1.25", "0.5", "1"),  # half-way: the smaller one
        ("1.75", "0.5", "1.5"),
        ("0.12", "0.25", "0"),
        ("0.13", "0.25", "0.25"),
        ("0.37", "0.1", "0.4"),
    ],
)
def test_nearest_step(value, step, expected):
    assert to_step(D(value), D(step)) == D(expected)


def test_whole_up():
    assert whole_up(D("2.25")) == 3
    assert whole_up(D("2")) == 2


def test_plain():
    assert plain(D("1.500")) == "1.5"
    assert plain(D("10")) == "10"
    assert plain(D("1E+1")) == "10"
