"""Control groups of engines that are dead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agenteval.sandbox.group import kill_members, remove_groups
from agenteval.sandbox.hierarchy import tops
from agenteval.sandbox.owner import PREFIX, is_dead


def sweep_groups() -> list[Path]:
    """Kill what is left in groups whose engine is dead, and remove them; returns those removed."""
    found = [folder for folder in _made_by_engines() if _owner_is_dead(folder)]
    kill_members(found)
    return [folder for folder in found if remove_groups([folder])]


def _made_by_engines() -> Iterator[Path]:
    for top in tops():
        for path, folders, _ in os.walk(top):
            ours = [name for name in folders if name.startswith(PREFIX)]
            folders[:] = [name for name in folders if name not in ours]
            yield from (Path(path, name) for name in ours)


def _owner_is_dead(folder: Path) -> bool:
    owner, _, number = folder.name.removeprefix(PREFIX).rpartition("-")
    return number.isdigit() and is_dead(owner)
