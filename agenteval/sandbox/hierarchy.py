"""Where control groups can be made: the cgroup hierarchies that this process may write to."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CONTROLLERS = frozenset({"memory", "pids"})


@dataclass(frozen=True)
class Hierarchy:
    """A folder below which groups can be made, and what they are good for.

    Attributes
    ----------
    version
        1 or 2.
    folder
        Where to make them: below this process's own group, so that limits set on us still hold.
    serves
        Which of `memory` and `pids` can be limited there.
    """

    version: int
    folder: Path
    serves: frozenset[str]

    @property
    def kills(self) -> bool:
        """Whether a group can be killed as one (every group of version 2 since Linux 5.14)."""
        return self.version == 2


def discover() -> list[Hierarchy]:
    """Writable hierarchies, by what the file system says; whether processes may enter is not tried."""
    own = _groups("self")
    found = []
    for version, mount, root, options in _mounts():
        if version == 2:
            found += _version_2(_below(mount, root, own.get("", "/")), mount)
            continue
        serves = CONTROLLERS & options
        name = next(iter(serves), "")
        folder = _below(mount, root, own.get(name, "/"))
        if serves and os.access(folder, os.W_OK):
            found.append(Hierarchy(1, folder, serves))
    return found


def folder_of(pid: int, controller: str) -> Path | None:
    """Folder of the group that counts a controller for a process; None if it cannot be seen."""
    groups = _groups(pid)
    for version, mount, root, options in _mounts():
        if version == 1 and controller in options and controller in groups:
            return _below(mount, root, groups[controller])
    for version, mount, root, _ in _mounts():
        if version == 2 and "" in groups:
            return _below(mount, root, groups[""])
    return None


def tops() -> list[Path]:
    """Mount points of all hierarchies."""
    return [mount for _, mount, _, _ in _mounts()]


def value_of(folder: Path | None, name: str, key: str | None = None) -> int | None:
    """A number in a group's file, or the one beside `key` in it; None when there is none."""
    if folder is None:
        return None
    try:
        text = (folder / name).read_text()
    except OSError:
        return None
    found = re.search(rf"^{'' if key is None else re.escape(key) + ' '}(\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else None


def _version_2(own: Path, mount: Path) -> list[Hierarchy]:
    """The nearest group at or above our own whose children get controllers, else our own to kill in.

    A group that holds processes cannot give its children controllers, so on most machines the
    nearest is our parent.
    """
    for folder in (own, *own.parents):
        if os.access(folder, os.W_OK) and _gives_controllers(folder):
            return [Hierarchy(2, folder, CONTROLLERS)]
        if folder == mount:
            break
    return [Hierarchy(2, own, frozenset())] if os.access(own, os.W_OK) else []


def _gives_controllers(folder: Path) -> bool:
    control = folder / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if not _lists_both(folder / "cgroup.controllers"):
            return False
        if not _lists_both(control):
            control.write_text("+memory +pids")
        return _lists_both(control)
    return False


def _lists_both(file: Path) -> bool:
    return CONTROLLERS.issubset(file.read_text().split())


def _groups(pid: int | str) -> dict[str, str]:
    """Controller to the path of a process's group; the one of version 2 is under ''."""
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            groups |= dict.fromkeys(names.split(","), path)
    return groups


def _mounts() -> Iterator[tuple[int, Path, str, frozenset[str]]]:
    """Version, mount point, root within the hierarchy, and options of each cgroup mount."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind in ("cgroup", "cgroup2"):
                root, point = before.split(" ")[3:5]
                version = 2 if kind == "cgroup2" else 1
                yield version, Path(point), root, frozenset(options.split(","))


def _below(mount: Path, root: str, group: str) -> Path:
    """Path of a group below a mount that shows the hierarchy from `root` on."""
    inside = group[len(root) :] if root != "/" and group.startswith(root) else group
    return mount / inside.lstrip("/")
