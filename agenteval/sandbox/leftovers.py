"""Control groups and containers of engines that are dead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agenteval.errors import Infrastructure
from agenteval.sandbox.group import kill_members, remove_groups
from agenteval.sandbox.hierarchy import tops
from agenteval.sandbox.owner import PREFIX, is_dead
from agenteval.sandbox.runtime import LABEL, Runtime


def sweep_groups() -> list[Path]:
    """Kill what is left in groups whose engine is dead, and remove them; returns those removed."""
    found = [folder for folder in _made_by_engines() if _owner_is_dead(folder)]
    kill_members(found)
    return [folder for folder in found if remove_groups([folder])]


def sweep_containers(runtime: Runtime) -> list[str]:
    """Kill and remove containers whose engine is dead; returns their names."""
    listed = runtime.call("ps", "--all", "--filter", f"label={LABEL}", "--format", "{{.Names}}")
    names = listed.stdout.decode("utf-8", "replace").split()
    dead = [name for name in names if is_dead(name.removeprefix(PREFIX).rpartition("-")[0])]
    return [name for name in dead if _removed(runtime, name)]


def _removed(runtime: Runtime, name: str) -> bool:
    """Whether it is gone: one that cannot be ended is left to a later sweep."""
    try:
        runtime.remove(name)
    except Infrastructure:
        return False
    return True


def _made_by_engines() -> Iterator[Path]:
    for top in tops():
        for path, folders, _ in os.walk(top):
            ours = [name for name in folders if name.startswith(PREFIX)]
            folders[:] = [name for name in folders if name not in ours]
            yield from (Path(path, name) for name in ours)


def _owner_is_dead(folder: Path) -> bool:
    owner, _, number = folder.name.removeprefix(PREFIX).rpartition("-")
    return number.isdigit() and is_dead(owner)
