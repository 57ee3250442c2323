from pathlib import Path

import pytest

from wattline import Service

SITES = Path(__file__).parent.parent / "config" / "sites.json"


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def service(clock):
    return Service.open(SITES, clock=clock)


@pytest.fixture
def rows():
    """Four readings at noon in Tromsø, a quarter of an hour apart."""
    return [
        {"id": f"t{n}", "site": "tromso", "at": f"2024-03-09T11:{15 * n:02d}:00Z", "kwh": 1.5}
        for n in range(4)
    ]
