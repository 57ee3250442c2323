"""What was found out about somebody's project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Project:
    """How a project is set up, tested and linted, and how we know.

    Attributes
    ----------
    folder
        Where the project lies; commands run there.
    language
        `python`, `typescript`, `javascript`, `go`, `rust`, or empty when unknown.
    setup
        Shell command that installs what it depends on; empty when it needs none or none was found.
    test, lint
        Shell commands; empty when none was found.
    tests
        Globs of its own test files.
    keys
        Files whose change calls for a new setup.
    evidence
        One sentence for each conclusion.
    """

    folder: Path
    language: str = ""
    setup: str = ""
    test: str = ""
    lint: str = ""
    tests: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def present(folder: Path, *names: str) -> list[str]:
    """Those of `names` that are files in `folder`."""
    return [name for name in names if (folder / name).is_file()]


def text_of(path: Path) -> str:
    """Text of a file, empty when it is absent or not readable as text."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
