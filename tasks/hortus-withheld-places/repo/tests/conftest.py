from pathlib import Path

import pytest

from hortus import Api, Store


@pytest.fixture
def store():
    return Store.load(Path(__file__).parent.parent / "data")


@pytest.fixture
def api(store):
    return Api(store)
