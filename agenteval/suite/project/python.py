"""A Python project: pyproject.toml, setup.cfg, requirements, tox, nox."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from agenteval.suite.project.found import Project, present, text_of
from agenteval.suite.project.python_files import (
    PythonFiles,
    read_python_files,
    table_of,
    test_files,
)

SIGNS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "tox.ini",
    "noxfile.py",
    "Pipfile",
)
_TEST_GROUPS = ("test", "tests", "testing", "dev")
_VENV = ".venv/bin/"


def detect(folder: Path) -> Project | None:
    """Return what a Python project's files say; None when there is no sign of one."""
    signs = present(folder, *SIGNS)
    others = present(folder, "package.json", "go.mod", "Cargo.toml")
    if not signs and (others or not any(folder.glob("*.py"))):
        return None
    files = read_python_files(folder)
    files.evidence.append(f"python: {', '.join(signs) or '*.py files'}")
    setup, prefix = _setup(files)
    return Project(
        folder,
        "python",
        setup,
        _test(files, prefix),
        _lint(files, prefix),
        _tests(files),
        tuple(
            present(folder, "uv.lock", "poetry.lock", "pyproject.toml", "setup.cfg", "setup.py")
            + files.requirements
        )
        if setup
        else (),
        tuple(files.evidence),
    )


def _setup(files: PythonFiles) -> tuple[str, str]:
    """Return the setup command, and what a Python command starts with after it."""
    folder = files.folder
    if present(folder, "uv.lock"):
        files.evidence.append("setup: uv.lock")
        return "uv sync --frozen", _VENV
    if present(folder, "poetry.lock"):
        files.evidence.append("setup: poetry.lock")
        return "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install", _VENV
    wanted = [f"-r {shlex.quote(name)}" for name in files.requirements]
    extras = [
        name
        for name in _TEST_GROUPS
        if name in table_of(files.pyproject, "project", "optional-dependencies")
    ]
    groups = table_of(files.pyproject, "dependency-groups")
    wanted += [
        shlex.quote(item)
        for name in _TEST_GROUPS
        for item in groups.get(name, [])
        if isinstance(item, str)
    ]
    if (
        files.direct()
        or extras
        or "install_requires" in text_of(folder / "setup.cfg") + text_of(folder / "setup.py")
    ):
        wanted.insert(0, shlex.quote(f".[{','.join(extras)}]") if extras else ".")
    if not wanted:
        return "", ""
    if _uses_pytest(files) and not re.search(r"\bpytest\b", files.names()):
        wanted.append("pytest")
    files.evidence.append(
        f"setup: dependencies in {', '.join([*present(folder, 'pyproject.toml', 'setup.cfg', 'setup.py'), *files.requirements])}"
    )
    return f"python3 -m venv .venv && .venv/bin/pip install {' '.join(wanted)}", _VENV


def _uses_pytest(files: PythonFiles) -> bool:
    found = [
        *present(files.folder, "pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py")
    ]
    if files.tool("pytest"):
        found.append("a pytest section")
    if re.search(r"\bpytest\b", files.names()):
        found.append("pytest among the dependencies")
    if not found and any("import pytest" in text_of(path) for path in test_files(files.folder)):
        found.append("tests that import pytest")
    if found and not any(line.startswith("test:") for line in files.evidence):
        files.evidence.append(f"test: {', '.join(found)}")
    return bool(found)


def _test(files: PythonFiles, prefix: str) -> str:
    # the source folder goes first, else the copy that setup installed would be tested
    source = "PYTHONPATH=src " if (files.folder / "src").is_dir() else ""
    python = f"{source}{prefix}python" if prefix else f"{source}python3"
    if _uses_pytest(files):
        return f"{python} -m pytest"
    tests = list(test_files(files.folder))
    if any("unittest" in text_of(path) for path in tests):
        files.evidence.append("test: tests that use unittest")
        return f"{python} -m unittest discover{_start_folder(files.folder)}"
    for name, command in (("tox.ini", "tox"), ("noxfile.py", "nox")):
        if present(files.folder, name):
            files.evidence.append(f"test: {name}")
            return command
    if tests:
        files.evidence.append(f"test: files such as {tests[0].relative_to(files.folder)}")
        return f"{python} -m pytest"
    return ""


def _start_folder(folder: Path) -> str:
    where = next((name for name in ("tests", "test") if (folder / name).is_dir()), "")
    if not where:
        return ""
    return f" -s {where}" + (" -t ." if present(folder, f"{where}/__init__.py") else "")


def _lint(files: PythonFiles, prefix: str) -> str:
    python = f"{prefix}python" if prefix else "python3"
    commands = []
    for tool, arguments, names in (
        ("ruff", "check .", ("ruff.toml", ".ruff.toml")),
        ("flake8", "", (".flake8",)),
        ("mypy", ".", ("mypy.ini", ".mypy.ini")),
        ("black", "--check .", ()),
    ):
        if present(files.folder, *names) or files.tool(tool):
            files.evidence.append(f"lint: {tool} is configured")
            commands.append(f"{python} -m {tool} {arguments}".rstrip())
    return " && ".join(commands)


def _tests(files: PythonFiles) -> tuple[str, ...]:
    paths = table_of(files.pyproject, "tool", "pytest", "ini_options").get("testpaths", [])
    named = [paths] if isinstance(paths, str) else [str(path) for path in paths]
    found = [
        name.rstrip("/") for name in named or ("tests", "test") if (files.folder / name).is_dir()
    ]
    return tuple(f"{name}/**" for name in found) or (
        ("**/test_*.py",) if any(test_files(files.folder)) else ()
    )
