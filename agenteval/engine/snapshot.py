"""What a folder holds, as a git tree in an object store outside of it.

The folder is walked and hashed here, not by `git add`: no index, configuration, filter or nested
repository of the agent's has a say, and unchanged files are recognised by their status (the change
time of which cannot be set) without being read.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.objects import EXECUTABLE, FILE, LINK, Entry, ObjectStore
from agenteval.engine.scratch import remove

LONGEST_PATH = (
    2048  # a grading copy may lie deeper than the workspace, and 4096 is the system's limit
)
CLOCK_REALTIME_COARSE = 5  # the clock of change times, which ticks every few milliseconds
FEWER_THAN_GIT = 100  # files that are written sooner than git has started
Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class LaidOut:
    """A tree that lies in a folder as git lays it out, and is never written to again."""

    folder: Path
    tree: str


@dataclass
class Snapshot:
    """A folder at one moment.

    Attributes
    ----------
    store
        Where its objects are.
    tree
        Object name of the whole tree.
    entries
        Path (bytes, relative) to entry.
    stamps
        Path to file status, to tell unchanged files without reading them (`trusted_stamps`).
    folders
        All folders, since git does not keep empty ones.
    odd
        Paths that cannot be part of a tree: FIFOs, devices, sockets, nested .git.
    laid_out
        What grading copies are mounted over; None where they are made.
    """

    store: ObjectStore
    tree: str
    entries: dict[bytes, Entry]
    stamps: dict[bytes, Stamp] = field(default_factory=dict)
    folders: list[bytes] = field(default_factory=list)
    odd: list[bytes] = field(default_factory=list)
    laid_out: LaidOut | None = None


@dataclass
class Walk:
    """One pass over a folder."""

    files: dict[bytes, os.stat_result] = field(default_factory=dict)
    folders: list[bytes] = field(default_factory=list)
    odd: list[bytes] = field(default_factory=list)


def walk(root: Path) -> Walk:
    """List regular files and links below `root`, links never followed, `.git` left out.

    Folders that their owner cannot enter are opened up on the way.
    """
    found = Walk()
    top = os.fsencode(root)
    pending = [b""]
    while pending:
        folder = pending.pop()
        for entry in _entries(os.path.join(top, folder) if folder else top):
            path = folder + b"/" + entry.name if folder else entry.name
            status = entry.stat(follow_symlinks=False)
            if path == b".git":
                continue
            if _impossible(path, entry.name, status):
                found.odd.append(path)
            elif stat.S_ISDIR(status.st_mode):
                found.folders.append(path)
                pending.append(path)
            else:
                found.files[path] = status
    return found


def _impossible(path: bytes, name: bytes, status: os.stat_result) -> bool:
    """Whether git refuses to hold it, or nothing could lay it out again."""
    kind = stat.S_IFMT(status.st_mode)
    return (
        kind not in (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
        or name.lower() == b".git"
        or (kind == stat.S_IFLNK and name.lower() == b".gitmodules")
        or len(path) > LONGEST_PATH
    )


def _entries(folder: bytes) -> Iterator[os.DirEntry[bytes]]:
    if os.lstat(folder).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, stat.S_IRWXU)
    with os.scandir(folder) as scan:
        yield from scan


def stamp(status: os.stat_result) -> Stamp:
    """What changes whenever a file is touched."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


def take(root: Path, store: ObjectStore, known: Snapshot | None = None) -> Snapshot:
    """Snapshot `root` into `store`; files whose stamp is in `known` are not read again."""
    found = walk(root)
    entries, unread = {}, []
    for path, status in found.files.items():
        if known is not None and known.stamps.get(path) == stamp(status):
            entries[path] = known.entries[path]
        else:
            unread.append(path)
    entries |= hash_files(root, store, {path: found.files[path] for path in unread})
    same = known is not None and entries == known.entries
    tree = known.tree if known is not None and same else store.add_tree(entries)
    laid_out = known.laid_out if known is not None else None
    stamps = trusted_stamps(found)
    return Snapshot(store, tree, entries, stamps, found.folders, found.odd, laid_out)


def trusted_stamps(found: Walk) -> dict[bytes, Stamp]:
    """Stamps of the files that nobody can change from now on without their stamp changing too.

    A file written in this very tick of the clock may be written again in it: it has no stamp, and
    is read when it matters.
    """
    now = time.clock_gettime_ns(CLOCK_REALTIME_COARSE)
    return {path: stamp(s) for path, s in found.files.items() if s.st_ctime_ns < now}


def wait_for_tick() -> None:
    """Wait until the clock of change times has moved, so that all stamps can be trusted."""
    now = time.clock_gettime_ns(CLOCK_REALTIME_COARSE)
    while time.clock_gettime_ns(CLOCK_REALTIME_COARSE) == now:
        time.sleep(0.0005)


def hash_files(
    root: Path, store: ObjectStore, files: dict[bytes, os.stat_result]
) -> dict[bytes, Entry]:
    """Store the contents of files and return their entries."""
    top = os.fsencode(root)
    entries: dict[bytes, Entry] = {}
    for path, status in files.items():
        full = os.path.join(top, path)
        if stat.S_ISLNK(status.st_mode):
            entries[path] = Entry(LINK, store.add("blob", os.readlink(full)))
            continue
        if not status.st_mode & stat.S_IRUSR:
            os.chmod(full, stat.S_IRUSR | stat.S_IWUSR)
        mode = EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE
        entries[path] = Entry(mode, store.add_file(full))
    return entries


def lay_out(snapshot: Snapshot, tree: str, folder: Path) -> None:
    """Write the files of `tree`, and the snapshot's folders, into the empty `folder`.

    Raises
    ------
    GitError
        When it cannot be laid out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if len(snapshot.entries) > FEWER_THAN_GIT or not _written(snapshot.store, tree, folder):
        _lay_out_with_git(snapshot, tree, folder)
    make_folders(os.fsencode(folder), snapshot.folders)


def _written(store: ObjectStore, tree: str, folder: Path) -> bool:
    """Write a small tree file by file; False when it is another git's, large, or cannot be."""
    top = os.fsencode(folder)
    made = {b""}
    try:
        entries = store.read_tree(tree)
        if len(entries) > FEWER_THAN_GIT:
            return False
        for path, entry in entries.items():
            above = path.rpartition(b"/")[0]
            if above not in made:
                os.makedirs(os.path.join(top, above), exist_ok=True)
                made.add(above)
            _write(os.path.join(top, path), entry, store.read(entry.sha))
    except OSError:  # git says what is wrong
        remove(folder)
        folder.mkdir()
        return False
    return True


def _write(full: bytes, entry: Entry, contents: bytes) -> None:
    """Write one file or link where nothing is."""
    if entry.mode == LINK:
        os.symlink(contents, full)
        return
    # a folder that holds nothing else cannot lead elsewhere, but a name must not be there twice
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(full, flags, 0o777 if entry.mode == EXECUTABLE else 0o666)
    with open(descriptor, "wb") as file:
        file.write(contents)


def _lay_out_with_git(snapshot: Snapshot, tree: str, folder: Path) -> None:
    index = folder.with_name(f"{folder.name}.index")
    git(
        ["read-tree", "--reset", "-u", tree],
        store=snapshot.store,
        work_tree=folder,
        index=index,
    )
    index.unlink()


def make_folders(top: bytes, paths: list[bytes]) -> None:
    """Make those of the folders `paths` below `top` that are missing, never through a link that is now in the place of one."""
    real = {b""}
    for path in sorted(paths):
        if path.rpartition(b"/")[0] in real:
            full = os.path.join(top, path)
            if not os.path.lexists(full):
                os.mkdir(full)
            if stat.S_ISDIR(os.lstat(full).st_mode):
                real.add(path)
