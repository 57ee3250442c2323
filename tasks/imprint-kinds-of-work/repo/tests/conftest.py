from pathlib import Path

import pytest

from imprint import jobs, rates

SHOP = Path(__file__).parent.parent / "shop"


@pytest.fixture
def job():
    known = {each.id: each for each in jobs.load(SHOP / "jobs.json") + jobs.load(SHOP / "archive.json")}
    return known.__getitem__


@pytest.fixture(autouse=True)
def same_rates():
    before = dict(rates.RATES)
    yield
    rates.RATES.update(before)
