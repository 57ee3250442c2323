"""`--changed-since REF`: which files of a project changed, and which tasks they concern."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agenteval.engine.git import GitError, git
from agenteval.errors import InvalidInput
from agenteval.records import matches
from agenteval.suite import LoadedTask


def changed_since(ref: str, folder: Path) -> list[str]:
    """Files of the repository around `folder` that differ from `ref`, relative to its root.

    What is not committed, or not tracked yet and not ignored, counts as changed.

    Raises
    ------
    InvalidInput
        When there is no repository or no such commit.
    """
    try:
        root = Path(git(["rev-parse", "--show-toplevel"], cwd=folder).decode().rstrip("\n"))
    except GitError as error:
        raise InvalidInput(
            "There is no git repository here to find changes in",
            str(folder),
            "run it inside the project under test, or leave --changed-since out",
        ) from error
    try:
        commit = git(["rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"], cwd=root)
    except GitError as error:
        raise InvalidInput(
            f"The repository has no commit {ref!r}",
            f"--changed-since, in {root}",
            "name a commit, branch or tag that is here; a shallow clone may lack it",
        ) from error
    name = commit.decode().strip()
    differing = git(
        ["diff", "--name-only", "--no-ext-diff", "--no-textconv", "-z", name, "--"], cwd=root
    )
    new = git(["ls-files", "--others", "--exclude-standard", "-z"], cwd=root)
    return sorted(
        {path.decode("utf-8", "replace") for path in (differing + new).split(b"\0")} - {""}
    )


def covering(tasks: Iterable[LoadedTask], files: Iterable[str]) -> list[LoadedTask]:
    """Tasks one of whose `covers` matches one of the files; a task that covers nothing is none."""
    changed = list(files)
    return [
        task
        for task in tasks
        if any(matches(path, glob) for glob in task.task.covers for path in changed)
    ]
