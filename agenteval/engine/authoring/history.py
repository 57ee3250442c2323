"""Reading somebody's repository for tasks: commits, trees and diffs; nothing in it is executed or changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.git import GitError, git, new_bare
from agenteval.engine.objects import FILE, LINK, ObjectStore
from agenteval.engine.snapshot import Snapshot, lay_out
from agenteval.errors import InvalidInput
from agenteval.suite.authoring import CommitChange, FileChange

_BEGIN, _FIELD, _END = "\x01", "\x02", "\x03"
_FORMAT = f"--format={_BEGIN}%H{_FIELD}%P{_FIELD}%cI{_FIELD}%B{_END}"
_DIFF = ("--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--abbrev=40", "-z")  # fmt: skip
_STATUS = {"A": "added", "D": "deleted"}
_ABSENT = "000000"
_ORDINARY = frozenset({_ABSENT, FILE, "100755"})


@dataclass(frozen=True)
class History:
    """A repository whose objects are borrowed, so that none of its configuration holds.

    Attributes
    ----------
    path
        Where it lies.
    store
        An object store of this process that reads from it.
    """

    path: Path
    store: ObjectStore

    def name_of(self, rev: str) -> str:
        """Full name of the commit that `rev` (a hash, branch or tag) means.

        Raises
        ------
        InvalidInput
            When there is none.
        """
        try:
            said = git(
                ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"],
                cwd=self.path,
            )
        except GitError as error:
            raise InvalidInput(
                f"The repository has no commit {rev!r}",
                str(self.path),
                "give a hash, branch or tag that `git log` shows there; a shallow clone has only the newest",
            ) from error
        return said.decode().strip()

    def commit(self, rev: str) -> CommitChange:
        """One commit and what it changed against its first parent.

        Raises
        ------
        InvalidInput
            When there is none.
        """
        name = self.name_of(rev)
        found = list(self._log(["-1", "--first-parent", "-m", name]))
        return found[0]

    def commits(
        self, rev: str = "HEAD", *, since: str | None = None, until: str | None = None
    ) -> list[CommitChange]:
        """Commits that `rev` holds, newest first, merges included without what they changed.

        Parameters
        ----------
        since, until
            Dates as git takes them: `2024-01-31`, `2 years ago`.
        """
        bounds = [f"--since={since}"] if since else []
        bounds += [f"--until={until}"] if until else []
        return list(self._log([*bounds, self.name_of(rev)]))

    def lay_out(self, commit: str, folder: Path) -> None:
        """Write the files of a commit into an empty folder.

        Raises
        ------
        GitError
            When some of them are not there, as in a partial clone.
        """
        tree = git(["rev-parse", "--verify", f"{commit}^{{tree}}"], store=self.store)
        name = tree.decode().strip()
        lay_out(Snapshot(self.store, name, {}), name, folder)

    def paths(self, commit: str) -> list[str]:
        """Files of a commit."""
        said = git(["ls-tree", "-r", "-z", "--name-only", commit], store=self.store)
        return [path for path in said.decode("utf-8", "surrogateescape").split("\0") if path]

    def contents(self, commit: str, path: str) -> bytes:
        """Contents of a file of a commit."""
        return git(["cat-file", "blob", f"{commit}:{path}"], store=self.store)

    def diff(self, commit: CommitChange, paths: Sequence[str]) -> bytes:
        """What a commit changed in some files, as a git patch."""
        return git(
            ["--literal-pathspecs", "diff-tree", "-r", "-p", "--binary", "--full-index"]
            + ["--no-renames", "--no-ext-diff", "--no-textconv", commit.parents[0], commit.sha]
            + ["--", *paths],
            store=self.store,
        )

    def _log(self, arguments: Sequence[str]) -> Iterator[CommitChange]:
        said = git(["log", _FORMAT, *_DIFF, *arguments], store=self.store)
        for part in said.decode("utf-8", "replace").split(_BEGIN)[1:]:
            head, _, changes = part.partition(_END)
            sha, parents, date, message = head.split(_FIELD, 3)
            subject, _, body = message.strip().partition("\n")
            yield CommitChange(
                sha,
                tuple(parents.split()),
                date,
                subject.strip(),
                body.strip(),
                tuple(_files(changes)),
            )


def open_history(repo: Path, folder: Path) -> History:
    """Borrow the objects of a repository.

    Parameters
    ----------
    repo
        Its working folder, or a bare repository.
    folder
        An empty folder of one's own.

    Raises
    ------
    InvalidInput
        When it is no git repository.
    """
    try:
        said = git(
            ["rev-parse", "--path-format=absolute", "--git-path", "objects", "--git-path", "shallow"],
            cwd=repo if repo.is_dir() else None,
        )  # fmt: skip
    except (GitError, OSError) as error:
        raise _no_repository(repo) from error
    if not repo.is_dir():
        raise _no_repository(repo)
    objects, shallow = map(Path, said.decode().splitlines())
    store = new_bare(folder / "history.git", objects)
    if shallow.is_file():
        shutil.copyfile(shallow, store.git_dir / "shallow")
    return History(repo, store)


def _no_repository(repo: Path) -> InvalidInput:
    return InvalidInput(
        "This is no git repository on this machine",
        str(repo),
        "give the folder of a clone, as in `git clone URL`",
    )


def _files(text: str) -> Iterator[FileChange]:
    """Files of one commit out of `--raw --numstat -z`."""
    modes: dict[str, tuple[str, str, str]] = {}
    tokens = iter(token.lstrip("\n") for token in text.split("\0"))
    for token in tokens:
        if token.startswith(":"):
            before, after, _, _, status = token[1:].split(" ")
            modes[next(tokens)] = (before, after, status[:1])
        elif counts := re.match(r"(\d+|-)\t(\d+|-)\t", token):
            path = token[counts.end() :]
            before, after, status = modes.get(path, (FILE, FILE, "M"))
            yield FileChange(
                path,
                _STATUS.get(status, "modified"),  # type: ignore[arg-type]
                None if counts[1] == "-" else int(counts[1]),
                None if counts[2] == "-" else int(counts[2]),
                plain=LINK not in (before, after) and {before, after} <= _ORDINARY,
            )
