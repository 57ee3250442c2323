"""The engine's scratch folder: one a process, removed at the end, leftovers of dead ones swept."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "agenteval-"


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None, *, keep: bool = False) -> Iterator[Path]:
    """Make a scratch folder that is held by a lock as long as this process lives.

    Parameters
    ----------
    parent
        Where to make it; the system's temporary folder by default.
    keep
        Leave it there for people to look at.
    """
    parent = parent or Path(tempfile.gettempdir())
    sweep(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
    descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        os.close(descriptor)
        if not keep:
            remove(folder)
        else:
            (folder / "lock").unlink(missing_ok=True)


def sweep(parent: Path) -> list[Path]:
    """Remove scratch folders whose process is dead; returns them."""
    swept = []
    for folder in parent.glob(f"{PREFIX}*"):
        lock = folder / "lock"
        if folder.is_symlink() or not lock.is_file() or folder.stat().st_uid != os.getuid():
            continue
        with contextlib.suppress(OSError):
            descriptor = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(folder)
                swept.append(folder)
            finally:
                os.close(descriptor)
    return swept


def remove(folder: Path) -> None:
    """Remove a tree, also one whose folders an agent made unreadable."""

    def open_up(function: object, path: str, info: object) -> None:
        del info
        with contextlib.suppress(OSError):
            Path(path).parent.chmod(0o700)
            if not Path(path).is_symlink():
                Path(path).chmod(0o700)
            function(path)  # type: ignore[operator]

    shutil.rmtree(folder, onerror=open_up)
