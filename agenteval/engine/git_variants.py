"""Variants straight from a repository: `NAME=git:REF:PATH` and `NAME=worktree:PATH`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from agenteval.engine.git import GitError, git
from agenteval.errors import InvalidInput
from agenteval.records import LaidFile
from agenteval.suite import LoadedVariant, files_variant

FORMS = "NAME=git:REF:PATH or NAME=worktree:PATH"
FILE, EXECUTABLE = b"100644", b"100755"
KINDS = {b"120000": "a symbolic link", b"160000": "a submodule"}


def repository_variant(spec: str, folder: Path) -> LoadedVariant:
    """Read a variant out of the repository around `folder`: one file, or a folder of instructions.

    It is laid into the workspace at the path it has in the repository.

    Parameters
    ----------
    spec
        `NAME=git:REF:PATH`: as the commit REF has it. `NAME=worktree:PATH`: as it lies there now,
        without what is ignored. Paths are relative to the repository's root.

    Raises
    ------
    InvalidInput
        For another form, no repository, a commit or path that is not there, or what cannot be laid.
    """
    where = f"--variant {spec}"
    name, _, source = spec.partition("=")
    kind, _, rest = source.partition(":")
    ref, _, path = rest.partition(":") if kind == "git" else ("", "", rest)
    if kind not in ("git", "worktree") or not name or not path or (kind == "git" and not ref):
        raise InvalidInput(
            f"The variant {spec!r} has no form that is known",
            where,
            f"write {FORMS}, or the name of a file in the suite's variants/",
        )
    inside = _inside(path, where)
    root = _root(folder, where)
    files = _committed(root, ref, inside, where) if kind == "git" else _lying(root, inside, where)
    if not files:
        at = f"the commit {ref}" if kind == "git" else "the working tree"
        raise InvalidInput(
            f"There is no file at {inside} in {at}",
            f"{where}, in {root}",
            "name a file or folder by its path from the repository's root; ignored files do not count",
        )
    return files_variant(name, source, files)


def _inside(path: str, where: str) -> str:
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or ".git" in parts or not parts:
        raise InvalidInput(
            f"The path {path!r} does not lie inside of the repository's files",
            where,
            "give one relative to its root, without .. and outside of .git",
        )
    return str(PurePosixPath(path))


def _root(folder: Path, where: str) -> Path:
    try:
        told = git(["rev-parse", "--show-toplevel"], cwd=folder)
    except GitError as error:
        raise InvalidInput(
            "There is no git repository here to take a variant from",
            f"{where}, in {folder}",
            "run it inside the repository that holds the instructions",
        ) from error
    return Path(os.fsdecode(told.rstrip(b"\n")))


def _committed(root: Path, ref: str, path: str, where: str) -> dict[str, LaidFile]:
    try:
        told = git(["rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"], cwd=root)
    except GitError as error:
        raise InvalidInput(
            f"The repository has no commit {ref!r}",
            f"{where}, in {root}",
            "name a commit, branch or tag that is here; a shallow clone may lack it",
        ) from error
    commit = told.decode().strip()
    listed = git(
        ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", path], cwd=root
    )
    entries: dict[str, tuple[bytes, bytes]] = {}
    for line in filter(None, listed.split(b"\0")):
        about, _, name = line.partition(b"\t")
        mode, _, sha = about.split(b" ")
        _refuse(mode, name, where)
        entries[os.fsdecode(name)] = (mode, sha)
    return _contents(root, entries)


def _contents(root: Path, entries: Mapping[str, tuple[bytes, bytes]]) -> dict[str, LaidFile]:
    """The files' bytes, in one process."""
    if not entries:
        return {}
    asked = b"".join(sha + b"\n" for _, sha in entries.values())
    left = git(["cat-file", "--batch"], cwd=root, stdin=asked)
    found = {}
    for name, (mode, _) in entries.items():
        head, _, left = left.partition(b"\n")
        size = int(head.split(b" ")[2])
        found[name] = LaidFile.of(left[:size], executable=mode == EXECUTABLE)
        left = left[size + 1 :]
    return found


def _lying(root: Path, path: str, where: str) -> dict[str, LaidFile]:
    listed = git(
        [
            *("--literal-pathspecs", "ls-files", "-z", "--cached", "--others"),
            *("--exclude-standard", "--deduplicate", "--", path),
        ],
        cwd=root,
    )
    found = {}
    for name in filter(None, listed.split(b"\0")):
        file = root / os.fsdecode(name)
        if file.is_symlink() or any(parent.is_symlink() for parent in _between(file, root)):
            _refuse(b"120000", name, where)
        if file.is_dir():
            _refuse(b"160000", name, where)
        if file.is_file():  # else it was deleted, and the index does not know it yet
            executable = bool(file.stat().st_mode & 0o100)
            found[os.fsdecode(name)] = LaidFile.of(file.read_bytes(), executable=executable)
    return found


def _between(file: Path, root: Path) -> list[Path]:
    return [parent for parent in file.parents if parent != root and root in parent.parents]


def _refuse(mode: bytes, name: bytes, where: str) -> None:
    if mode in KINDS:
        raise InvalidInput(
            f"A variant cannot lay {KINDS[mode]}, which {os.fsdecode(name)} is",
            where,
            "replace it by a copy, or name a folder without it",
        )
