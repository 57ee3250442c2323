from datetime import date
from pathlib import Path

import pytest

from toolcrib import Store

SAMPLE = Path(__file__).parent.parent / "data" / "sample.json"


@pytest.fixture
def store():
    return Store.load(SAMPLE)


@pytest.fixture
def on():
    return date(2024, 4, 12)
