"""What the sensors of `tampering` look at, collected from a dead agent's workspace without trusting it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from agenteval.engine.freeze import Frozen
from agenteval.engine.git import git
from agenteval.engine.snapshot import Snapshot
from agenteval.records import digest
from agenteval.sandbox import read_regular

CONFIGURATION = frozenset({"package.json", "pyproject.toml", "setup.cfg"})
_SETTINGS = ("config", "config.worktree", "info/attributes")
_FOREIGN = ("FETCH_HEAD", "commondir", "objects/info/alternates", "objects/info/http-alternates", "refs/remotes", "shallow")  # fmt: skip
_LARGEST = 4 << 20
_MOST_HOOKS = 100


@dataclass(frozen=True)
class Change:
    """A frozen change, as sensors see it.

    Attributes
    ----------
    added
        Paths that the start did not have.
    edited
        Paths of the start that were changed or deleted.
    before, after
        Contents of the configuration files among them, at the start and in the frozen tree; a file
        that is not there has no entry.
    """

    added: frozenset[str] = frozenset()
    edited: frozenset[str] = frozenset()
    before: Mapping[str, bytes] = field(default_factory=dict)
    after: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class GitState:
    """What of a workspace's own repository matters to sensors.

    Attributes
    ----------
    settings
        Hash of what makes git behave otherwise: configuration, attributes, hooks.
    foreign
        Files in it that only commits from elsewhere leave, or that lead elsewhere.
    """

    settings: str
    foreign: frozenset[str]


def change_of(start: Snapshot, frozen: Frozen) -> Change:
    """Sort the paths of a frozen change, and read the configuration files among them."""
    known = {os.fsdecode(path): entry for path, entry in start.entries.items()}
    read = [
        path
        for path in frozen.paths
        if PurePosixPath(path).name in CONFIGURATION and "\n" not in path
    ]
    return Change(
        added=frozenset(path for path in frozen.paths if path not in known),
        edited=frozenset(path for path in frozen.paths if path in known),
        before={path: start.store.read(known[path].sha) for path in read if path in known},
        after=_contents(start, frozen.tree, read),
    )


def git_state(workspace: Path) -> GitState:
    """Look at a workspace's `.git`; nothing in it is executed, and no link is followed."""
    top = workspace / ".git"
    kind = _kind(top)
    if kind != "folder":
        return GitState(kind, frozenset() if kind == "none" else frozenset({".git"}))
    hooks = top / "hooks"
    names = sorted(os.listdir(hooks)) if _kind(hooks) == "folder" else [_kind(hooks)]  # noqa: PTH208 - names only
    parts = [*_SETTINGS, *(f"hooks/{name}" for name in names[:_MOST_HOOKS])]
    # hashed one by one: together they may be more than there is memory
    settings = digest(
        len(names).to_bytes(8), *(digest(os.fsencode(name), _bytes(top / name)) for name in parts)
    )
    foreign = {name for name in _FOREIGN if _kind(top / name) != "none"}
    if b" refs/remotes/" in _bytes(top / "packed-refs"):
        foreign.add("packed-refs")
    return GitState(settings, frozenset(foreign))


def _contents(start: Snapshot, tree: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Contents of those paths that are files of the tree."""
    wanted = list(paths)
    if not wanted:
        return {}
    asked = b"".join(os.fsencode(f"{tree}:{path}\n") for path in wanted)
    said = git(["cat-file", "--batch"], store=start.store, stdin=asked)
    found = {}
    for path in wanted:
        line, _, said = said.partition(b"\n")
        if line.endswith(b" missing"):
            continue
        size = int(line.rpartition(b" ")[2])
        if b" blob " in line:
            found[path] = said[:size]
        said = said[size + 1 :]
    return found


def _kind(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return "none"
    kinds: tuple[tuple[str, Callable[[int], bool]], ...] = (
        ("folder", stat.S_ISDIR),
        ("file", stat.S_ISREG),
        ("link", stat.S_ISLNK),
    )
    return next((name for name, test in kinds if test(mode)), "other")


def _bytes(path: Path) -> bytes:
    """Head of a regular file; of anything else, what it is."""
    try:
        return b"file:" + read_regular(path, _LARGEST)
    except OSError:
        return _kind(path).encode()
