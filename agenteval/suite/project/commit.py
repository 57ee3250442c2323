"""The commit a project is at, read from the files of its git folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from agenteval.suite.project.found import text_of

_SHA = re.compile(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")


@dataclass(frozen=True)
class Commit:
    """Where a project stands.

    Attributes
    ----------
    root
        Folder that holds .git.
    sha
        Hash of its current commit.
    """

    root: Path
    sha: str


def current_commit(folder: Path) -> Commit | None:
    """Return the commit of the repository that `folder` lies in.

    None without a repository, before its first commit, and where references are not kept
    in files (the reftable format).
    """
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_file():
            git = (root / text_of(git).removeprefix("gitdir:").strip()).resolve()
        if (git / "HEAD").is_file():
            sha = _resolve(git)
            return Commit(root, sha) if sha else None
    return None


def _resolve(git: Path) -> str | None:
    head = text_of(git / "HEAD").strip()
    if not head.startswith("ref:"):
        return head if _SHA.match(head) else None
    name = head.removeprefix("ref:").strip()
    common = git / text_of(git / "commondir").strip()  # of a worktree: where its references are
    for place in (git, common):
        if _SHA.match(sha := text_of(place / name).strip()):
            return sha
    packed = (
        line.split()
        for line in text_of(common / "packed-refs").splitlines()
        if line[:1] not in ("#", "^")
    )
    return next(
        (parts[0] for parts in packed if parts[1:] == [name] and _SHA.match(parts[0])), None
    )
