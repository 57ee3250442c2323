"""Small notebooks written on the spot."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from nbformat import v4

from agenteval.store import Store, open_store


@pytest.fixture
def template_of(tmp_path: Path) -> Callable[..., Path]:
    """Write a template: a question, a parameters cell, then one code cell a source."""

    def write(
        *sources: str, parameters: str = 'name: str = "x"', at: str = "fixture.ipynb"
    ) -> Path:
        cells = [
            v4.new_markdown_cell("# Does it run?\n\nA fixture."),
            v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
            *(v4.new_code_cell(source) for source in sources),
        ]
        path = tmp_path / at
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(v4.new_notebook(cells=cells), path)
        return path

    return write


@pytest.fixture(scope="session")
def made_store() -> ModuleType:
    """The module that writes stores."""
    spec = importlib.util.spec_from_file_location(
        "made_store", Path(__file__).with_name("made_store.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, made_store: ModuleType) -> Store:
    """Two runs of four arms, with every outcome."""
    return open_store(made_store.build(tmp_path_factory.mktemp("store")))
