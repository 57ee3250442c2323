"""Stores to look at: the sample that comes along, and one that may be written to."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from agenteval.records import bundled
from agenteval.store import Store, open_store

MADE_STORE = Path(__file__).parents[1] / "reports" / "made_store.py"


@pytest.fixture(scope="session")
def sample() -> Store:
    """The sample store of the package, only read."""
    return open_store(bundled("data") / "sample_store")


@pytest.fixture
def own(tmp_path: Path) -> Store:
    """A copy of the sample store in which nobody has labelled anything yet."""
    folder = shutil.copytree(bundled("data") / "sample_store", tmp_path / "store")
    (folder / "labels.jsonl").unlink()
    return open_store(folder)


@pytest.fixture(scope="session")
def made_store() -> ModuleType:
    """The module that writes stores."""
    spec = importlib.util.spec_from_file_location("made_store", MADE_STORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def every_outcome(made_store: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two runs of four arms, with every outcome."""
    return open_store(made_store.build(tmp_path_factory.mktemp("store")))
