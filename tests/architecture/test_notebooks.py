"""Notebooks are thin: a question, parameters, one call an answer, and nothing defined or left behind."""

import ast
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MAX_CELLS = 20
MAX_LINES = 10
STATISTICS = {"scipy", "statsmodels", "duckdb"}

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def code_of(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tree_of(path: Path) -> ast.Module:
    sources = [cell.source for cell in code_of(path) if not cell.source.startswith("%%")]
    lines = "\n".join(sources).splitlines()
    return ast.parse("\n".join(line for line in lines if not line.startswith("%")))


def test_it_starts_with_the_question(path):
    first = read(path).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    assert first.source.splitlines()[0].endswith("?")


def test_its_first_code_cell_holds_parameters_that_are_literals_with_help(path):
    first = code_of(path)[0]
    assert "parameters" in first.metadata.get("tags", [])
    for line, node in zip(first.source.splitlines(), ast.parse(first.source).body, strict=True):
        assert isinstance(node, ast.AnnAssign)
        ast.literal_eval(node.value)
        assert "  # " in line, "say what the parameter is"


def test_it_is_short(path):
    cells = read(path).cells
    assert len(cells) <= MAX_CELLS
    long = [cell.source for cell in cells if len(cell.source.splitlines()) > MAX_LINES]
    assert not long


def test_its_outputs_are_stripped(path):
    notebook = read(path)
    assert not [cell for cell in code_of(path) if cell.outputs or cell.execution_count]
    assert "papermill" not in notebook.metadata
    assert "widgets" not in notebook.metadata


def test_it_defines_nothing(path):
    defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    assert not [node for node in ast.walk(tree_of(path)) if isinstance(node, defined)]


def test_it_imports_the_package_one_layer_deep_and_no_statistics(path):
    names = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    assert not [name for name in names if name.partition(".")[0] in STATISTICS]
    assert not [name for name in names if name.startswith("agenteval") and name.count(".") > 1]
    assert "agenteval" in names


def test_it_says_what_the_answers_do_not_show(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    assert "**Reads as**" in prose
    assert "**Does not show**" in prose


def test_it_ends_with_provenance(path):
    assert "provenance" in code_of(path)[-1].source


def test_it_is_valid(path):
    nbformat.validate(read(path))
