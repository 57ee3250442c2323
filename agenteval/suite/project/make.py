"""A Makefile: what any project may offer as targets."""

from __future__ import annotations

import re
from pathlib import Path

from agenteval.suite.project.found import Project, present, text_of

_TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*)\s*:(?!=)", re.MULTILINE)
_MEANINGS = {
    "setup": ("setup", "install", "deps", "bootstrap"),
    "test": ("test", "tests", "check"),
    "lint": ("lint",),
}


def detect(folder: Path) -> Project | None:
    """Return the commands that a Makefile's targets give; None when it has none of them."""
    names = present(folder, "GNUmakefile", "makefile", "Makefile")
    if not names:
        return None
    targets = set(_TARGET.findall(text_of(folder / names[0])))
    found = {
        key: next((name for name in choices if name in targets), "")
        for key, choices in _MEANINGS.items()
    }
    if not any(found.values()):
        return None
    commands = {key: f"make {name}" if name else "" for key, name in found.items()}
    evidence = tuple(f"{key}: target `{name}` of {names[0]}" for key, name in found.items() if name)
    return Project(
        folder, "", commands["setup"], commands["test"], commands["lint"], (), (names[0],), evidence
    )
