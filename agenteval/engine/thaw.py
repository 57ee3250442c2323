"""A stored patch on a start snapshot again: the tree that was frozen, without any workspace."""

from __future__ import annotations

import os
from pathlib import Path

from agenteval.engine.freeze import Frozen, diff_of
from agenteval.engine.git import GitError, git
from agenteval.engine.snapshot import Snapshot
from agenteval.errors import EngineError


class PatchRefused(EngineError):
    """A stored patch does not apply to its task's start any more."""


def thaw(patch: bytes, start: Snapshot, folder: Path) -> Frozen:
    """Apply a stored patch to a start snapshot.

    Only an index in `folder` and the snapshot's own object store are written: no file of the
    patch is laid out, so nothing of the agent's can take part.

    Parameters
    ----------
    patch
        As `freeze` took it: full object names, binary parts.
    start
        Snapshot whose store takes the new objects.
    folder
        Scratch folder, which exists.

    Raises
    ------
    PatchRefused
        When the start was changed in a place the patch touches.
    """
    if not patch.strip():
        return Frozen(start.tree, b"", (), 0, 0, ())
    index = folder / "thaw.index"
    git(["read-tree", start.tree], store=start.store, index=index)
    try:
        git(
            ["apply", "--cached", "--binary", "--whitespace=nowarn", "-"],
            store=start.store,
            index=index,
            stdin=patch,
        )
    except GitError as error:
        raise PatchRefused(
            f"The stored patch does not apply to the task's start: {error.what.partition(': ')[2]}",
            "patch.diff",
            "grade it with the suite as it was, named with --suite",
        ) from error
    tree = git(["write-tree"], store=start.store, index=index).decode().strip()
    index.unlink()
    names = git(
        ["diff-tree", "-r", "-z", "--name-only", "--no-renames", start.tree, tree],
        store=start.store,
    )
    again, added, removed = diff_of(start, tree)
    paths = tuple(os.fsdecode(name) for name in names.split(b"\0") if name)
    created = frozenset(path for path in paths if os.fsencode(path) not in start.entries)
    return Frozen(tree, again, paths, added, removed, (), created)
