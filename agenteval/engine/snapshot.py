"""What a folder holds, as a git tree in an object store outside of it.

The folder is walked and hashed here, not by `git add`: no index, configuration, filter or nested
repository of the agent's has a say, and unchanged files are recognised by their status (the change
time of which cannot be set) without being read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.engine.git import git

FILE, EXECUTABLE, LINK = "100644", "100755", "120000"
ZERO = "0" * 40
Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Entry:
    """One file of a tree: git mode and object name."""

    mode: str
    sha: str


@dataclass
class Snapshot:
    """A folder at one moment.

    Attributes
    ----------
    store
        Bare git directory with the objects.
    tree
        Object name of the whole tree.
    entries
        Path (bytes, relative) to entry.
    stamps
        Path to file status, to tell unchanged files without reading them.
    folders
        All folders, since git does not keep empty ones.
    odd
        Paths that cannot be part of a tree: FIFOs, devices, sockets, nested .git.
    """

    store: Path
    tree: str
    entries: dict[bytes, Entry]
    stamps: dict[bytes, Stamp] = field(default_factory=dict)
    folders: list[bytes] = field(default_factory=list)
    odd: list[bytes] = field(default_factory=list)


@dataclass
class Walk:
    """One pass over a folder."""

    files: dict[bytes, os.stat_result] = field(default_factory=dict)
    folders: list[bytes] = field(default_factory=list)
    odd: list[bytes] = field(default_factory=list)


def walk(root: Path) -> Walk:
    """List regular files and links below `root`, links never followed, `.git` left out."""
    found = Walk()
    top = os.fsencode(root)
    pending = [b""]
    while pending:
        folder = pending.pop()
        for entry in _entries(os.path.join(top, folder) if folder else top):
            path = folder + b"/" + entry.name if folder else entry.name
            status = entry.stat(follow_symlinks=False)
            if entry.name.lower() == b".git":
                if folder:
                    found.odd.append(path)
            elif stat.S_ISDIR(status.st_mode):
                found.folders.append(path)
                pending.append(path)
            elif stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                found.files[path] = status
            else:
                found.odd.append(path)
    return found


def _entries(folder: bytes) -> Iterator[os.DirEntry[bytes]]:
    try:
        scan = os.scandir(folder)
    except PermissionError:
        os.chmod(folder, 0o700)
        scan = os.scandir(folder)
    with scan:
        yield from scan


def stamp(status: os.stat_result) -> Stamp:
    """What changes whenever a file is touched."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def take(root: Path, store: Path, known: Snapshot | None = None) -> Snapshot:
    """Snapshot `root` into `store`; files whose stamp is in `known` are not read again."""
    found = walk(root)
    entries, unread = {}, []
    for path, status in found.files.items():
        if known is not None and known.stamps.get(path) == stamp(status):
            entries[path] = known.entries[path]
        else:
            unread.append(path)
    entries |= hash_files(root, store, {path: found.files[path] for path in unread})
    if known is not None and entries == known.entries:
        tree = known.tree
    else:
        tree = write_tree(store, entries)
    stamps = {path: stamp(status) for path, status in found.files.items()}
    return Snapshot(store, tree, entries, stamps, found.folders, found.odd)


def hash_files(root: Path, store: Path, files: dict[bytes, os.stat_result]) -> dict[bytes, Entry]:
    """Store the contents of files and return their entries."""
    top = os.fsencode(root)
    entries: dict[bytes, Entry] = {}
    plain = []
    for path, status in files.items():
        full = os.path.join(top, path)
        if stat.S_ISLNK(status.st_mode):
            entries[path] = Entry(LINK, _hash(store, os.readlink(full)))
        elif b"\n" in full:
            entries[path] = Entry(_mode(status), _hash(store, _contents(full)))
        else:
            plain.append(path)
            if not status.st_mode & stat.S_IRUSR:
                os.chmod(full, 0o600)
    if plain:
        listing = b"".join(os.path.join(top, path) + b"\n" for path in plain)
        names = git(
            ["hash-object", "-w", "--no-filters", "--stdin-paths"], git_dir=store, stdin=listing
        )
        for path, name in zip(plain, names.decode().split(), strict=True):
            entries[path] = Entry(_mode(files[path]), name)
    return entries


def write_tree(store: Path, entries: dict[bytes, Entry]) -> str:
    """Store a tree of `entries` and return its name."""
    index = store / "index.tmp"
    index.unlink(missing_ok=True)
    listing = b"".join(
        f"{e.mode} {e.sha}\t".encode() + path + b"\0" for path, e in sorted(entries.items())
    )
    git(["update-index", "-z", "--index-info"], git_dir=store, index=index, stdin=listing)
    return git(["write-tree"], git_dir=store, index=index).decode().strip()


def lay_out(snapshot: Snapshot, tree: str, folder: Path) -> None:
    """Write the files of `tree`, and the snapshot's folders, into the empty `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    index = snapshot.store / f"index.{folder.name}"
    git(["read-tree", tree], git_dir=snapshot.store, index=index)
    git(["checkout-index", "-a", "-f", "-q"], git_dir=snapshot.store, work_tree=folder, index=index)
    top = os.fsencode(folder)
    for path in sorted(snapshot.folders):
        full = os.path.join(top, path)
        if not os.path.lexists(full):
            os.makedirs(full, exist_ok=True)


def _hash(store: Path, data: bytes) -> str:
    return (
        git(["hash-object", "-w", "--no-filters", "--stdin"], git_dir=store, stdin=data)
        .decode()
        .strip()
    )


def _contents(full: bytes) -> bytes:
    with open(full, "rb") as file:
        return file.read()


def _mode(status: os.stat_result) -> str:
    return EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE
