"""Copies that are mounted instead of made: what a trial writes lies over a base that is only read.

A large repository is laid out once a task. Each workspace and each grading copy is an overlay mount
over it, so that neither their number nor their size costs time or disk beyond what was changed.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.objects import Entry
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import LaidOut, Snapshot, Walk, lay_out, make_folders
from agenteval.sandbox import make_whiteout, mount_overlay, overlay_problem

# Below both, a copy costs less than a mount and what looking through it costs (measured).
FEWEST_FILES = 50
FEWEST_BYTES = 4 << 20


def worth_mounting(found: Walk, folder: Path) -> bool:
    """Whether copies of what was found should be mounts, and can be, below `folder`."""
    size = sum(status.st_size for status in found.files.values())
    large = len(found.files) >= FEWEST_FILES or size >= FEWEST_BYTES
    return large and overlay_problem(folder) is None


def mount_workspace(tree: Path, folder: Path) -> None:
    """Mount a base's own tree, its repository included, in the empty or new `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    mount_overlay(tree, folder, _layer(folder))


def discard_workspace(folder: Path) -> None:
    """Remove a workspace, and what a mounted one is kept in."""
    remove(folder)
    remove(_layer(folder))


def mount_graded(start: Snapshot, base: LaidOut, tree: str, folder: Path) -> None:
    """Mount the start as it was laid out, with the change that leads to `tree` lying over it.

    Raises
    ------
    GitError
        When the changed files cannot be laid out.
    """
    layer = _layer(folder)
    changed, gone = _difference(start, base.tree, tree)
    upper = layer / "upper"
    upper.mkdir(parents=True)
    if changed:
        lay_out(Snapshot(start.store, "", {}), start.store.add_tree(changed), upper)
    for path in sorted(gone):
        _hide(os.fsencode(upper), path)
    mount_overlay(base.folder, folder, layer)
    make_folders(os.fsencode(folder), start.folders)


def _layer(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.layer")


def _difference(start: Snapshot, old: str, new: str) -> tuple[dict[bytes, Entry], set[bytes]]:
    """Entries that `new` has otherwise than `old`, and paths that it has not."""
    changed: dict[bytes, Entry] = {}
    gone: set[bytes] = set()
    if old != new:
        said = git(["diff-tree", "-r", "-z", "--raw", "--no-renames", old, new], store=start.store)
        *parts, _ = said.split(b"\0")
        for told, path in zip(parts[::2], parts[1::2], strict=True):
            _, mode, _, name, _ = told.decode().split(" ")
            if mode == "000000":
                gone.add(path)
            else:
                changed[path] = Entry(mode, name)
    return changed, gone


def _hide(upper: bytes, path: bytes) -> None:
    """Hide what the base has at `path`, unless what lies over it or above it does so already."""
    folder = upper
    for part in path.split(b"/")[:-1]:
        folder = os.path.join(folder, part)  # noqa: PTH118 - paths as bytes
        if not os.path.lexists(folder):
            os.mkdir(folder)  # noqa: PTH102
        elif not stat.S_ISDIR(os.lstat(folder).st_mode):
            return
    full = os.path.join(upper, path)  # noqa: PTH118
    if not os.path.lexists(full):
        make_whiteout(full)
