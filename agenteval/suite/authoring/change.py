"""What a commit changed: its message, and the files with the lines they gained and lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FileStatus = Literal["added", "modified", "deleted"]


@dataclass(frozen=True)
class FileChange:
    """One file of a commit; a rename is a deletion and an addition.

    Attributes
    ----------
    path
        Relative to the repository, with `/` between its parts.
    status
        What became of it.
    added, removed
        Lines; None for a file that is not text.
    plain
        Whether it is an ordinary file before and after, neither a link nor a submodule.
    """

    path: str
    status: FileStatus
    added: int | None
    removed: int | None
    plain: bool = True

    @property
    def lines(self) -> int:
        """Lines that changed; 0 for what is not text."""
        return (self.added or 0) + (self.removed or 0)


@dataclass(frozen=True)
class CommitChange:
    """One commit.

    Attributes
    ----------
    sha, parents
        Full object names.
    date
        When it was committed, ISO 8601.
    subject, body
        First line of its message, and the rest.
    files
        What it changed against its first parent.
    """

    sha: str
    parents: tuple[str, ...]
    date: str
    subject: str
    body: str
    files: tuple[FileChange, ...]

    @property
    def short(self) -> str:
        """The first ten digits of its name."""
        return self.sha[:10]
