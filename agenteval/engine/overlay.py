"""Laying files over a folder whose contents are not trusted."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from agenteval.engine.scratch import remove


def lay_over(source: Path, paths: Iterable[str], folder: Path) -> None:
    """Copy files below `source` over `folder`, replacing whatever is there and following no link."""
    for name in paths:
        shutil.copy2(source / name, cleared(folder, name), follow_symlinks=False)


def cleared(folder: Path, name: str) -> Path:
    """Make room for a file below `folder`: real folders above it, nothing in its place."""
    target = folder
    for part in Path(name).parts[:-1]:
        target /= part
        if target.is_symlink() or not target.is_dir():
            target.unlink(missing_ok=True)
            target.mkdir()
    target = folder / name
    if target.is_dir() and not target.is_symlink():
        remove(target)
    else:
        target.unlink(missing_ok=True)
    return target
