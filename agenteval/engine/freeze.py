"""Freezing: the agent's change against the start snapshot, as a patch that can be graded again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.objects import ObjectStore
from agenteval.engine.snapshot import Snapshot, hash_files, stamp, walk
from agenteval.records import matches

# Left behind by running tools, never work: kept out of patches even without a .gitignore.
LITTER = (
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".hypothesis/",
    ".DS_Store",
)
LARGEST_CHANGE = 128 << 20
MOST_FILES = 50_000
HEAD_BYTES = 200


@dataclass(frozen=True)
class IgnoreRules:
    """The .gitignore files of the start commit, laid out on their own, and what the commit tracks."""

    folder: Path
    store: ObjectStore
    tracked: frozenset[bytes]

    def ignored(self, paths: Iterable[bytes]) -> set[bytes]:
        """Which of `paths` the start commit's rules ignore; what it tracks is never ignored."""
        asked = [path for path in paths if path not in self.tracked]
        if not asked:
            return set()
        answer = git(
            ["-c", f"core.excludesFile={self.folder / 'litter'}", "check-ignore"]
            + ["--no-index", "-z", "--stdin"],
            store=self.store,
            work_tree=self.folder / "rules",
            # a name may start with ':', which alone would be a pattern's magic
            stdin=b"".join(b"./" + path + b"\0" for path in asked),
            accept=(0, 1),
        )
        return {path.removeprefix(b"./") for path in answer.split(b"\0")} - {b""}


@dataclass(frozen=True)
class Frozen:
    """A frozen change.

    Attributes
    ----------
    tree
        Tree of start snapshot + change.
    patch
        The change as a git patch with full object names and binary parts.
    paths
        Changed paths, as text.
    lines_added, lines_removed
        Of text files.
    left_out
        Paths that are not in the patch: FIFOs, devices, sockets, nested .git folders, and files
        beyond `LARGEST_CHANGE` bytes in all, names included, or `MOST_FILES`; the smallest are kept.
    created
        Those of the paths that the start did not have.
    """

    tree: str
    patch: bytes
    paths: tuple[str, ...]
    lines_added: int
    lines_removed: int
    left_out: tuple[str, ...]
    created: frozenset[str] = frozenset()

    def protected_edits(self, globs: list[str]) -> int:
        """Number of edited and deleted paths that match one of the globs; a new file edits none."""
        edited = (path for path in self.paths if path not in self.created)
        return sum(any(matches(path, glob) for glob in globs) for path in edited)


def ignore_rules(
    folder: Path, store: ObjectStore, tree_root: Path, tracked: frozenset[bytes]
) -> IgnoreRules:
    """Lay out the .gitignore files among `tracked` below `folder`."""
    rules = folder / "rules"
    rules.mkdir(parents=True)
    (folder / "litter").write_text("\n".join(LITTER) + "\n")
    for path in tracked:
        name = Path(os.fsdecode(path))
        source = tree_root / name
        if name.name == ".gitignore" and source.is_file() and not source.is_symlink():
            (rules / name).parent.mkdir(parents=True, exist_ok=True)
            (rules / name).write_bytes(source.read_bytes())
    return IgnoreRules(folder, store, tracked)


def freeze(workspace: Path, start: Snapshot, rules: IgnoreRules) -> Frozen:
    """Capture what changed in `workspace` since `start`.

    Files the start commit's rules ignore are left out, whatever the workspace's own .gitignore says
    now. Nothing in the workspace is executed or trusted: it is only walked and read.
    """
    found = walk(workspace)
    touched = {p: s for p, s in found.files.items() if start.stamps.get(p) != stamp(s)}
    gone = {path for path in start.entries if path not in found.files}
    ignored = rules.ignored([*touched, *gone])
    sizes = {path: _cost(path, s.st_size) for path, s in touched.items() if path not in ignored}
    too_large = _beyond(sizes, LARGEST_CHANGE)
    entries = {path: entry for path, entry in start.entries.items() if path not in gone - ignored}
    entries |= hash_files(
        workspace, start.store, {p: touched[p] for p in sizes if p not in too_large}
    )
    # a file where a folder was: git wants the old paths gone
    new = {path for path in sizes if path in entries and path not in start.entries}
    if new:
        entries = {path: entry for path, entry in entries.items() if not _below_file(path, new)}
    changed = [p for p in {**start.entries, **entries} if start.entries.get(p) != entries.get(p)]
    tree = start.store.add_tree(entries) if changed else start.tree
    patch, added, removed = diff_of(start, tree) if changed else (b"", 0, 0)
    return Frozen(
        tree,
        patch,
        paths=_names(changed),
        lines_added=added,
        lines_removed=removed,
        left_out=_names(too_large.union(found.odd).difference(start.odd)),
        created=frozenset(_names(path for path in changed if path not in start.entries)),
    )


def _cost(path: bytes, size: int) -> int:
    """Bytes that a file takes in a patch, at most: its path stands there five times, quoted."""
    quoted = len(path) + 3 * sum(byte >= 0x80 or byte < 0x20 for byte in path)
    return size + 5 * quoted + HEAD_BYTES


def _beyond(sizes: dict[bytes, int], limit: int) -> set[bytes]:
    """Paths left over when files are kept from the smallest up, `limit` bytes and `MOST_FILES` in all."""
    left, total = set(), 0
    for number, path in enumerate(sorted(sizes, key=lambda path: (sizes[path], path)), 1):
        total += sizes[path]
        if total > limit or number > MOST_FILES:
            left.add(path)
    return left


def _below_file(path: bytes, names: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:depth]) in names for depth in range(1, len(parts)))


def diff_of(start: Snapshot, tree: str) -> tuple[bytes, int, int]:
    """The patch from `start` to `tree`, and the lines it adds and removes."""
    said = git(
        ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv"]
        + ["--numstat", "--binary", "--full-index", "-p", start.tree, tree],
        store=start.store,
    )
    numbers, _, patch = said.partition(b"\n\n")
    counts = [line.split(b"\t")[:2] for line in numbers.split(b"\n")]
    added, removed = (
        sum(int(count[column]) for count in counts if count[column] != b"-") for column in (0, 1)
    )
    return patch, added, removed


def _names(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in sorted(paths))
