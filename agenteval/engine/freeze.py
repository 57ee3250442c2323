"""Freezing: the agent's change against the start snapshot, as a patch that can be graded again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.snapshot import Snapshot, hash_files, stamp, walk, write_tree

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


@dataclass(frozen=True)
class IgnoreRules:
    """The .gitignore files of the start commit, laid out on their own, and what the commit tracks."""

    folder: Path
    store: Path
    tracked: frozenset[bytes]

    def ignored(self, paths: list[bytes]) -> set[bytes]:
        """Which of `paths` the start commit's rules ignore; what it tracks is never ignored."""
        asked = [path for path in paths if path not in self.tracked]
        if not asked:
            return set()
        listing = b"".join(path + b"\0" for path in asked)
        answer = git(
            [
                "-c",
                f"core.excludesFile={self.folder / 'litter'}",
                "check-ignore",
                "--no-index",
                "-z",
                "--stdin",
            ],
            git_dir=self.store,
            work_tree=self.folder / "rules",
            stdin=listing,
            accept=(0, 1),
        )
        return set(answer.split(b"\0")) - {b""}


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
        Paths that cannot be part of a patch: FIFOs, devices, sockets, nested .git folders.
    """

    tree: str
    patch: bytes
    paths: tuple[str, ...]
    lines_added: int
    lines_removed: int
    left_out: tuple[str, ...]

    def protected_edits(self, globs: list[str]) -> int:
        """Number of changed paths that match one of the globs."""
        return sum(any(matches(path, glob) for glob in globs) for path in self.paths)


def ignore_rules(
    folder: Path, store: Path, tree_root: Path, tracked: frozenset[bytes]
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
    touched = [
        path for path, status in found.files.items() if start.stamps.get(path) != stamp(status)
    ]
    gone = [path for path in start.entries if path not in found.files]
    ignored = rules.ignored([*touched, *gone])
    fresh = hash_files(
        workspace, start.store, {path: found.files[path] for path in touched if path not in ignored}
    )
    entries = dict(start.entries)
    for path in gone:
        if path not in ignored:
            del entries[path]
    entries |= fresh
    # a file where a folder was: git wants the old paths gone
    names = set(entries)
    entries = {path: entry for path, entry in entries.items() if not _below_file(path, names)}
    tree = start.tree if entries == start.entries else write_tree(start.store, entries)
    patch = b"" if tree == start.tree else _diff(start, tree, "--binary", "--full-index", "-p")
    counts = b"" if tree == start.tree else _diff(start, tree, "--numstat", "-z")
    return Frozen(
        tree,
        patch,
        *_numbers(counts),
        left_out=tuple(os.fsdecode(path) for path in sorted(set(found.odd) - set(start.odd))),
    )


def matches(path: str, glob: str) -> bool:
    """Whether a path matches a glob; `dir/` and `dir/**` cover everything below.

    >>> matches("tests/unit/a.py", "tests/**"), matches("src/a.py", "*.py"), matches("a.py", "b.py")
    (True, True, False)
    """
    if glob.endswith("/"):
        glob += "**"
    return fnmatch(path, glob) or (glob.startswith("**/") and fnmatch(path, glob[3:]))


def _below_file(path: bytes, names: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:depth]) in names for depth in range(1, len(parts)))


def _diff(start: Snapshot, tree: str, *options: str) -> bytes:
    arguments = [
        "diff-tree",
        "-r",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        *options,
        start.tree,
        tree,
    ]
    return git(arguments, git_dir=start.store)


def _numbers(numstat: bytes) -> tuple[tuple[str, ...], int, int]:
    paths, added, removed = [], 0, 0
    for record in numstat.split(b"\0"):
        if not record:
            continue
        plus, minus, path = record.split(b"\t", 2)
        paths.append(os.fsdecode(path))
        if plus != b"-":
            added, removed = added + int(plus), removed + int(minus)
    return tuple(paths), added, removed
