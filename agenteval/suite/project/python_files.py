"""What the configuration files of a Python project say."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agenteval.suite.project.found import text_of


@dataclass
class PythonFiles:
    """A Python project's configuration, read once.

    Attributes
    ----------
    folder
        Where the project lies.
    pyproject
        Contents of pyproject.toml.
    sections
        Tools with a section in setup.cfg, tox.ini, .flake8 or mypy.ini.
    requirements
        Names of requirements files.
    evidence
        What was concluded so far.
    """

    folder: Path
    pyproject: dict[str, Any] = field(default_factory=dict)
    sections: set[str] = field(default_factory=set)
    requirements: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)

    def tool(self, name: str) -> bool:
        """Whether pyproject.toml, setup.cfg or tox.ini configures a tool."""
        return name in table_of(self.pyproject, "tool") or name in self.sections

    def names(self) -> str:
        """Join everything that is depended on into one text."""
        extras = table_of(self.pyproject, "project", "optional-dependencies")
        groups = table_of(self.pyproject, "dependency-groups")
        texts = [text_of(self.folder / name) for name in self.requirements]
        listed = [
            str(item) for table in (extras, groups) for items in table.values() for item in items
        ]
        poetry = list(table_of(self.pyproject, "tool", "poetry", "group", "dev", "dependencies"))
        return "\n".join([*texts, *listed, *self.direct(), *poetry])

    def direct(self) -> list[str]:
        """List what the project itself depends on."""
        project = table_of(self.pyproject, "project").get("dependencies", [])
        poetry = [
            name
            for name in table_of(self.pyproject, "tool", "poetry", "dependencies")
            if name != "python"
        ]
        return [*map(str, project), *poetry]


def read_python_files(folder: Path) -> PythonFiles:
    """Read what is there; a file that cannot be parsed is named in the evidence."""
    files = PythonFiles(folder)
    try:
        files.pyproject = tomllib.loads(text_of(folder / "pyproject.toml"))
    except tomllib.TOMLDecodeError as error:
        files.evidence.append(f"pyproject.toml is not valid TOML and was not used: {error}")
    for name in ("setup.cfg", "tox.ini", ".flake8", "mypy.ini"):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(text_of(folder / name))
        except configparser.Error:
            files.evidence.append(f"{name} cannot be parsed and was not used")
        files.sections.update(section.removeprefix("tool:") for section in parser.sections())
    files.requirements = sorted(path.name for path in folder.glob("*requirements*.txt"))
    return files


def test_files(folder: Path) -> Iterable[Path]:
    """Files that look like tests, at most 50 a pattern."""
    for pattern in ("test_*.py", "*_test.py", "tests/**/*.py", "test/**/*.py"):
        yield from sorted(folder.glob(pattern))[:50]


def table_of(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the table at a path of keys; empty when there is none."""
    for key in keys:
        data = data.get(key, {})
        if not isinstance(data, dict):
            return {}
    return data
