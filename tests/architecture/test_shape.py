"""The shape of the code base: sizes, names, layers, public surface, weight of an import."""

import ast
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "agenteval"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = sorted(p.parent.name for p in PACKAGE.glob("*/__init__.py"))
MAX_LINES = 300
JUNK_DRAWERS = {"utils", "util", "helpers", "common", "core", "misc", "manager"}


def relative(path):
    return str(path.relative_to(ROOT))


def run(*arguments):
    env = {**os.environ, "PYTHONWARNINGS": ""}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, env=env
    )


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_module_is_small_and_named_for_what_it_holds(path):
    assert len(path.read_text().splitlines()) <= MAX_LINES, "split by what changes together"
    assert not JUNK_DRAWERS & set(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("layer", LAYERS)
def test_public_names_are_explicit_and_sorted(layer):
    package = importlib.import_module(f"agenteval.{layer}")
    exported = package.__all__
    assert exported == sorted(exported, key=str.casefold)
    missing = [name for name in exported if not hasattr(package, name)]
    assert not missing


def test_every_public_function_is_used_by_a_test_or_a_notebook():
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")]
    text = "\n".join(p.read_text() for p in files if p != Path(__file__))
    unused = []
    for layer in LAYERS:
        package = importlib.import_module(f"agenteval.{layer}")
        functions = [n for n in package.__all__ if inspect.isfunction(getattr(package, n))]
        unused += [f"{layer}.{n}" for n in functions if not re.search(rf"\b{n}\b", text)]
    assert not unused


def test_public_surface_of_the_package():
    import agenteval as ae

    assert ae.__all__ == sorted(ae.__all__)
    for name in ae.__all__:
        assert getattr(ae, name) is not None
    assert set(ae.__all__) >= {"open_store", "scoreboard", "compare", "report", "stats", "charts"}


def test_everything_public_is_documented():
    bare = []
    for path in MODULES:
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if (
                isinstance(node, (ast.ClassDef, ast.FunctionDef))
                and not node.name.startswith("_")
                and not ast.get_docstring(node)
                and node in tree.body
            ):
                bare.append(f"{relative(path)}:{node.lineno} {node.name}")
    assert not bare


def test_import_is_quiet_and_light():
    code = "import agenteval, sys; print(sorted({'pandas', 'numpy', 'altair', 'duckdb', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_engine_half_loads_no_table_library():
    code = "import agenteval.engine, sys; print(sorted({'pandas', 'altair', 'duckdb'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_only_the_command_line():
    code = "import agenteval.cli, sys; print(sorted({'pandas', 'numpy', 'pydantic', 'duckdb', 'altair', 'papermill'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ruff_finds_nothing():
    done = run("ruff", "check", "--no-cache", "agenteval", "tests", "notebooks")
    assert done.returncode == 0, done.stdout


def test_ruff_would_format_nothing():
    done = run("ruff", "format", "--no-cache", "--check", "agenteval", "tests")
    assert done.returncode == 0, done.stdout


def test_layers_hold():
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_types_hold(tmp_path):
    done = run("mypy", f"--cache-dir={tmp_path}", "-p", "agenteval")
    assert done.returncode == 0, done.stdout


DOCTESTED = [p for p in MODULES if ">>>" in p.read_text()]


@pytest.mark.parametrize("path", DOCTESTED, ids=relative)
def test_examples_in_docstrings_run(path):
    import doctest

    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert tried
    assert not failed
