"""Writing git objects without git: a process a file would cost more than all the rest of a trial."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

FILE, EXECUTABLE, LINK, FOLDER = "100644", "100755", "120000", "40000"
CHUNK = 1 << 20


@dataclass(frozen=True)
class Entry:
    """One file of a tree: git mode and object name."""

    mode: str
    sha: str


@dataclass(frozen=True)
class ObjectStore:
    """Where git objects are written, and where else they are found.

    Attributes
    ----------
    git_dir
        Bare repository: its configuration and attributes hold, whatever the places are.
    places
        Object folders; new objects go into the first one.
    """

    git_dir: Path
    places: tuple[Path, ...]

    def extended(self, objects: Path) -> ObjectStore:
        """The same store with a folder of its own for new objects."""
        objects.mkdir(parents=True)
        return ObjectStore(self.git_dir, (objects, *self.places))

    @property
    def environment(self) -> dict[str, str]:
        """Variables that make git use it."""
        others = ":".join(json.dumps(str(place)) for place in self.places[1:])
        return {
            "GIT_DIR": str(self.git_dir),
            "GIT_OBJECT_DIRECTORY": str(self.places[0]),
            **({"GIT_ALTERNATE_OBJECT_DIRECTORIES": others} if others else {}),
        }

    def add(self, kind: str, data: bytes) -> str:
        """Store one object (`blob` or `tree`) and return its name."""
        whole = f"{kind} {len(data)}\0".encode() + data
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        if not self._has(name):
            descriptor, temporary = tempfile.mkstemp(dir=self.places[0])
            with os.fdopen(descriptor, "wb") as file:
                file.write(zlib.compress(whole, 1))
            self._keep(temporary, name)
        return name

    def add_file(self, path: bytes) -> str:
        """Store the contents of a file of any size in bounded memory; return the object's name.

        Raises
        ------
        OSError
            When the file cannot be read, or changes while it is read.
        """
        with open(path, "rb", buffering=0) as source:  # noqa: PTH123 - a path of bytes
            size = os.fstat(source.fileno()).st_size
            if size > CHUNK:
                return self._add_large(source, size)
            return self.add("blob", source.read(CHUNK))

    def _add_large(self, source: BinaryIO, size: int) -> str:
        state, squeeze = hashlib.sha1(usedforsecurity=False), zlib.compressobj(1)
        descriptor, temporary = tempfile.mkstemp(dir=self.places[0])
        with os.fdopen(descriptor, "wb") as file:
            part, read = f"blob {size}\0".encode(), 0
            while part:
                state.update(part)
                file.write(squeeze.compress(part))
                part = source.read(CHUNK)
                read += len(part)
            file.write(squeeze.flush())
        if read != size:
            raise OSError(f"a file changed while it was read: {size} bytes became {read}")
        self._keep(temporary, state.hexdigest())
        return state.hexdigest()

    def read(self, name: str) -> bytes:
        """Contents of an object that was added here, or to a store this one extends.

        Raises
        ------
        FileNotFoundError
            When it was not.
        """
        for path in self._paths(name):
            try:
                with open(path, "rb") as file:  # noqa: PTH123 - read for every file of every trial
                    return zlib.decompress(file.read()).partition(b"\0")[2]
            except FileNotFoundError:
                continue
        raise FileNotFoundError(name)

    def read_tree(self, name: str) -> dict[bytes, Entry]:
        """Files of a tree that was added as `read` says, path to entry.

        Raises
        ------
        FileNotFoundError
            When it, or a tree in it, was not.
        """
        entries: dict[bytes, Entry] = {}
        pending = [(b"", name)]
        while pending:
            above, name = pending.pop()
            rest = self.read(name)
            while rest:
                told, _, rest = rest.partition(b"\0")
                mode, _, own = told.partition(b" ")
                entry, rest = Entry(mode.decode(), rest[:20].hex()), rest[20:]
                if entry.mode == FOLDER:
                    pending.append((above + own + b"/", entry.sha))
                else:
                    entries[above + own] = entry
        return entries

    def add_tree(self, entries: Mapping[bytes, Entry]) -> str:
        """Store the tree that holds `entries`, path to entry, and return its name."""
        lines: dict[bytes, list[tuple[bytes, bytes]]] = {b"": []}
        for path, entry in entries.items():
            folder, _, name = path.rpartition(b"/")
            missing = folder
            while missing not in lines:
                lines[missing] = []
                missing = missing.rpartition(b"/")[0]
            lines[folder].append(_line(entry.mode, name, entry.sha))
        root = ""
        for folder in sorted(lines, key=_depth, reverse=True):
            root = self.add("tree", b"".join(line for _, line in sorted(lines[folder])))
            if folder:
                above, _, name = folder.rpartition(b"/")
                lines[above].append(_line(FOLDER, name, root))
        return root

    def _has(self, name: str) -> bool:
        return any(map(os.path.exists, self._paths(name)))

    def _paths(self, name: str) -> list[str]:
        return [f"{place}/{name[:2]}/{name[2:]}" for place in self.places]

    def _keep(self, temporary: str, name: str) -> None:
        folder = self.places[0] / name[:2]
        folder.mkdir(exist_ok=True)
        Path(temporary).replace(folder / name[2:])


def _line(mode: str, name: bytes, sha: str) -> tuple[bytes, bytes]:
    """Git's place for a name in its folder, and the line of the tree object."""
    order = name + b"/" if mode == FOLDER else name
    return order, mode.encode() + b" " + name + b"\0" + bytes.fromhex(sha)


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0
