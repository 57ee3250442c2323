"""Repositories that rows of other tools name: their commits, and what a patch makes of one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.engine.authoring.history import History, open_history
from agenteval.engine.git import git


@dataclass(frozen=True)
class Clone:
    """One repository on this machine; nothing in it is executed or changed.

    Attributes
    ----------
    history
        Its commits.
    scratch
        Folder for an index.
    """

    history: History
    scratch: Path

    def name_of(self, rev: str) -> str:
        """Full name of a commit."""
        return self.history.name_of(rev)

    def paths(self, commit: str) -> list[str]:
        """Files of a commit."""
        return self.history.paths(commit)

    def contents(self, commit: str, path: str) -> bytes:
        """Contents of a file of a commit."""
        return self.history.contents(commit, path)

    def patched(self, commit: str, patch: bytes) -> Mapping[str, bytes | None]:
        """What a patch makes of a commit: path to new contents, None for a deleted file.

        Raises
        ------
        GitError
            When it does not apply.
        """
        store, index = self.history.store, self.scratch / "patched.index"
        index.unlink(missing_ok=True)
        git(["read-tree", commit], store=store, index=index)
        apply = ["apply", "--cached", "--binary", "--whitespace=nowarn", "-"]
        git(apply, store=store, index=index, stdin=patch)
        tree = git(["write-tree"], store=store, index=index).decode().strip()
        told = git(
            ["diff-tree", "-r", "-z", "--name-status", "--no-renames", commit, tree], store=store
        )
        words = told.decode("utf-8", "surrogateescape").split("\0")
        pairs = zip(words[::2], words[1::2], strict=False)
        return {
            path: None if status == "D" else self.history.contents(tree, path)
            for status, path in pairs
        }


@dataclass
class OpenedClones:
    """Opens each repository once.

    Attributes
    ----------
    scratch
        A folder of one's own.
    """

    scratch: Path
    _opened: dict[Path, Clone] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def __call__(self, path: Path) -> Clone:
        """Open a repository.

        Raises
        ------
        InvalidInput
            When it is none.
        """
        real = path.resolve()
        if real not in self._opened:
            folder = self.scratch / str(next(self._numbers))
            folder.mkdir(parents=True)
            self._opened[real] = Clone(open_history(real, folder), folder)
        return self._opened[real]
