"""The files of a folder, in one order, and what may not be among them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agenteval.suite.problems import Problems, shown

JUNK = frozenset({"__pycache__", ".DS_Store", ".mypy_cache", ".pytest_cache", ".ruff_cache"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or symbolic link.

    Attributes
    ----------
    path
        Relative to the folder that was read, with `/` between its parts.
    mode
        `file`, `exec` (its owner may execute it) or `link`: what git keeps of a mode.
    sha256
        Of the file's contents, or of the link's target; 32 bytes.
    """

    path: str
    mode: str
    sha256: bytes


def read_tree(folder: Path, problems: Problems) -> tuple[Entry, ...]:
    """Read every file below `folder` once; empty folders and caches of tools do not count.

    Notes a problem for what cannot be a task's: a `.git`, a link that is absolute or leaves
    the folder, a device, pipe or socket, a file that cannot be read.
    """
    top = os.path.realpath(folder)
    entries = [entry for found in _walk(folder) if (entry := _entry(found, folder, top, problems))]
    return tuple(sorted(entries, key=lambda entry: os.fsencode(entry.path)))


def is_junk(name: str) -> bool:
    """Whether a file or folder is a tool's cache, which is no part of a task."""
    return name in JUNK or name.endswith(".pyc")


def _walk(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        for item in found:
            if is_junk(item.name):
                continue
            if item.is_dir(follow_symlinks=False) and item.name != ".git":
                yield from _walk(item.path)
            else:
                yield item


def _entry(item: os.DirEntry[str], folder: Path, top: str, problems: Problems) -> Entry | None:
    path = item.path[len(os.fspath(folder)) + 1 :]
    if item.name == ".git":
        problems.add(
            "A task holds a .git, and with it a history that may give the answer away",
            shown(Path(item.path)),
            "delete it; to start from a commit of a repository use [source] with git and rev",
        )
        return None
    if item.is_symlink():
        return _link(item, path, top, problems)
    if not item.is_file(follow_symlinks=False):
        problems.add(
            "A task holds a device, pipe or socket",
            shown(Path(item.path)),
            "delete it, or make it in `setup`",
        )
        return None
    try:
        with open(item.path, "rb", buffering=0) as file:  # noqa: PTH123 - thousands of files; Path costs more than reading
            contents = (
                hashlib.file_digest(file, "sha256")
                if item.stat().st_size > 1 << 20
                else hashlib.sha256(file.readall())
            )
    except OSError as error:
        problems.add(
            f"A file cannot be read: {error.strerror}",
            shown(Path(item.path)),
            "check its permissions",
        )
        return None
    mode = "exec" if item.stat().st_mode & 0o100 else "file"
    return Entry(path, mode, contents.digest())


def _link(item: os.DirEntry[str], path: str, top: str, problems: Problems) -> Entry | None:
    target = os.readlink(item.path)  # noqa: PTH115 - the text of the link, not a Path
    if os.path.isabs(target) or not leads_inside(item.path, top):  # noqa: PTH117
        problems.add(
            f"A symbolic link leaves its folder: it points to {target!r}",
            shown(Path(item.path)),
            "replace it by a copy, or by a relative link that stays inside",
        )
        return None
    return Entry(path, "link", hashlib.sha256(os.fsencode(target)).digest())


def leads_inside(path: Path | str, folder: Path | str) -> bool:
    """Whether a path, its links followed, lies in `folder` (or is it)."""
    top = os.path.realpath(folder)
    real = os.path.realpath(path)
    return real == top or real.startswith(top + os.sep)
