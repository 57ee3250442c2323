"""The engine's scratch folder: one a process, removed at the end, leftovers of dead ones swept."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agenteval.sandbox import run_process, unmount_below, unmount_leftovers

PREFIX = "agenteval-"
LOCK = "lock"
MADE = re.compile(PREFIX + r"[a-z0-9_]{8}")  # as tempfile names them


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
    with contextlib.ExitStack() as closing:
        closing.callback(os.close, descriptor)
        try:
            yield folder
        finally:
            if keep:
                (folder / LOCK).unlink(missing_ok=True)
            else:
                _discard(folder)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """Make a folder and hold its lock; another process may sweep it away in between."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        try:
            descriptor = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except FileNotFoundError:
            continue
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
            try:
                descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            except FileNotFoundError:
                # one that is kept has contents; an empty one was never locked, or is about to be
                if MADE.fullmatch(folder.name):
                    folder.rmdir()
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unmount_leftovers(folder)
                _discard(folder)
                swept.append(folder)
            finally:
                os.close(descriptor)
    return swept


def _discard(folder: Path) -> None:
    """Remove a scratch folder, its lock last: who is killed meanwhile leaves it to be swept."""
    for path in folder.iterdir():
        if path.name != LOCK:
            remove(path)
    remove(folder)


def emptied(*folders: Path) -> None:
    """Remove all that is in these folders, and leave them."""
    for folder in folders:
        remove(folder)
        folder.mkdir(exist_ok=True)


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
