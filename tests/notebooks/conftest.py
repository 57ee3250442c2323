"""A store to run the notebooks on."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

MADE_STORE = Path(__file__).parents[1] / "reports" / "made_store.py"


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of four arms, with every outcome."""
    return _made_store().build(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def emptied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of four arms; in the second, `next`, the set-up of every trial failed."""
    return _made_store().build(tmp_path_factory.mktemp("emptied"), next_counts=False)


def _made_store() -> ModuleType:
    spec = importlib.util.spec_from_file_location("made_store", MADE_STORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
