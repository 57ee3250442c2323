"""The engine's scratch folder: one a process, removed at the end, leftovers of dead ones swept."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agenteval.sandbox import run_process, unmount_below, unmount_leftovers

PREFIX = "agenteval-"
LOCK = "lock"


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
    parent.mkdir(parents=True, exist_ok=True)
    sweep(parent)
    folder, descriptor = _locked_folder(parent)
    try:
        yield folder
    finally:
        if keep:
            (folder / LOCK).unlink(missing_ok=True)
        else:
            remove(folder)
        os.close(descriptor)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """Make a folder and hold its lock; another process may sweep it away in between."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        descriptor = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return folder, descriptor
        os.close(descriptor)


def sweep(parent: Path) -> list[Path]:
    """Remove scratch folders whose process is dead; returns them."""
    swept = []
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unmount_leftovers(folder)
                remove(folder)
                swept.append(folder)
            finally:
                os.close(descriptor)
    return swept


def remove(folder: Path) -> None:
    """Remove a tree if it is there: also one made unreadable, or deeper than Python can follow.

    What cannot be removed stays; `sweep` tries again.
    """
    unmount_below(folder)
    if not folder.is_dir():
        return
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        env = {"PATH": "/usr/bin:/bin"}
        run_process(["chmod", "-R", "u+rwX", "--", str(folder)], env=env)
        run_process(["rm", "-rf", "--", str(folder)], env=env)
