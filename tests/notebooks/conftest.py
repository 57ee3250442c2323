"""A store to run the notebooks on."""

import importlib.util
from pathlib import Path

import pytest

MADE_STORE = Path(__file__).parents[1] / "reports" / "made_store.py"


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of four arms, with every outcome."""
    spec = importlib.util.spec_from_file_location("made_store", MADE_STORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build(tmp_path_factory.mktemp("store"))
