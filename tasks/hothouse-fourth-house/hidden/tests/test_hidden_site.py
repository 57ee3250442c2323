"""The site as the reader understands it: every wanted unit, setting by setting."""

from pathlib import Path

import pytest

from hothouse.loader import load
from hothouse.plan import check, plan, wanted

ROOT = Path(__file__).resolve().parents[1]
OFFICE, NIGHT, MARTA = (f"{who}@lindqvist.example" for who in ("office", "nightshift", "marta"))


def water(house, times, minutes="12"):
    return {
        "Description": f"Watering of house {house}",
        "Command": f"valve house{house}",
        "At": times,
        "Minutes": minutes,
    }


def vent(house, most="80", night="closed"):
    return {
        "Description": f"Vents of house {house}",
        "Command": f"vents house{house}",
        "Max": most,
        "Night": night,
    }


def frost(house, threshold, *more):
    return {
        "Description": f"Frost guard of house {house}",
        "Command": f"heater house{house}",
        "Sensor": "probe-a",
        "Threshold": threshold,
        "Notify": sorted([OFFICE, NIGHT, *more]),
    }


RUNNING = {
    "water@1.unit": water(1, ["06:00", "14:00", "21:00"]),
    "vent@1.unit": vent(1),
    "frost@1.unit": frost(1, "4"),
    "frost@2.unit": frost(2, "4"),
    "water@3.unit": water(3, ["06:00", "14:00"]),
    "vent@3.unit": vent(3, "25", "open"),
    "frost@3.unit": frost(3, "12", MARTA),
    "water@4.unit": water(4, ["05:30", "17:00"], "20"),
    "vent@4.unit": vent(4, "40"),
    "frost@4.unit": frost(4, "4"),
    "report.unit": {
        "Description": "Daily report",
        "Command": "report",
        "At": ["06:15"],
        "Notify": [OFFICE],
    },
}


def settings(unit, leave_out=()):
    return {
        key: sorted(value) if isinstance(value, list) else value
        for key, value in unit.settings.items()
        if key not in ("Wants", *leave_out)
    }


@pytest.mark.parametrize("name", sorted(RUNNING))
def test_settings(name):
    unit = load(ROOT, name)
    assert not unit.masked
    # what a unit of house 4 is called is ours to say
    leave_out = ("Description",) if "@4" in name else ()
    expected = {key: value for key, value in RUNNING[name].items() if key not in leave_out}
    assert settings(unit, leave_out) == expected


def test_what_is_wanted():
    names = [name for name, unit in wanted(ROOT).items() if "Command" in unit.settings]
    assert names == sorted(RUNNING)


def test_a_day():
    assert plan(ROOT) == sorted(
        (time, name, unit["Command"])
        for name, unit in RUNNING.items()
        for time in unit.get("At", ["always"])
    )


def test_the_reader_does_not_complain():
    assert check(ROOT) == []
