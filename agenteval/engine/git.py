"""Git, run so that nothing in a workspace can execute or configure it.

Every repository used for grading lies outside the workspace and is opened by an explicit git
directory; hooks, filters, attributes, textconv, external diffs and the operator's configuration
are out of reach.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from agenteval.engine.objects import ObjectStore
from agenteval.errors import EngineError
from agenteval.sandbox import Bounds, run_process

IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (
        ("NAME", "agenteval"),
        ("EMAIL", "agenteval@localhost"),
        ("DATE", "2024-01-01T00:00:00+0000"),
    )
}
HERMETIC = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    **IDENTITY,
}
SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.attributesFile=/dev/null",
    "-c", "core.autocrlf=false", "-c", "core.quotePath=true", "-c", "core.logAllRefUpdates=false",
    "-c", "gc.auto=0", "-c", "safe.directory=*", "-c", "core.symlinks=true", "-c", "core.fileMode=true",
    "-c", "core.excludesFile=/dev/null", "-c", "core.precomposeUnicode=false", "-c", "core.protectHFS=false",
    "-c", "core.protectNTFS=false", "-c", "diff.renames=false", "-c", "submodule.recurse=false",
)  # fmt: skip
# what is packed once is neither sent nor kept: no search for deltas
QUICK = ("-c", "core.looseCompression=0", "-c", "pack.compression=1", "-c", "pack.window=0")
LARGEST_OUTPUT = 1 << 30
# info/attributes wins over every .gitattributes of the tree: no filter, no line-end conversion
RAW_BYTES = "* -text -filter -ident -eol -working-tree-encoding -export-subst\n"


class GitError(EngineError):
    """Git ended with an error."""


def git(
    arguments: Sequence[str],
    *,
    store: ObjectStore | None = None,
    work_tree: Path | None = None,
    cwd: Path | None = None,
    index: Path | None = None,
    stdin: bytes | None = None,
    accept: tuple[int, ...] = (0,),
) -> bytes:
    """Run git and return its standard output.

    Raises
    ------
    GitError
        When the exit code is not in `accept`.
    """
    env = HERMETIC | ({} if store is None else store.environment)
    for name, path in (("GIT_WORK_TREE", work_tree), ("GIT_INDEX_FILE", index)):
        if path is not None:
            env[name] = str(path)
    folder = cwd or work_tree or (store.git_dir if store else None)
    done = run_process(
        ["git", *SAFE, *arguments],
        env=env,
        cwd=folder,
        stdin=stdin,
        # half from the head and half from the tail: with twice the limit nothing is cut
        bounds=Bounds(
            timeout_s=600, max_output_bytes=LARGEST_OUTPUT, keep_bytes=2 * LARGEST_OUTPUT
        ),
    )
    if done.exit_code not in accept:
        message = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise GitError(
            f"git {arguments[0]} ended with {done.exit_code}: {message}",
            str(folder),
            "see the message",
        )
    return done.stdout


def new_bare(path: Path, borrowed: Path | None = None) -> ObjectStore:
    """Make an empty object store whose attributes rules leave every byte as it is.

    Written by hand, which costs no process; `borrowed` is an object folder to read from as well.
    """
    for name in ("objects", "refs", "info"):
        (path / name).mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/main\n")
    (path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    (path / "info" / "attributes").write_text(RAW_BYTES)
    return ObjectStore(path, (path / "objects", *(() if borrowed is None else (borrowed,))))


def new_repository(folder: Path) -> None:
    """Make `folder` a repository with everything in it as one commit: no remotes, history or reflog.

    Packed, since it is copied for every trial.
    """
    git(["init", "-q", "--template=", "-b", "main", str(folder)])
    own = ObjectStore(folder / ".git", (folder / ".git/objects",))
    git([*QUICK, "add", "-A", "-f", "."], store=own, work_tree=folder)
    git(
        ["commit", "-q", "--allow-empty", "--no-verify", "-m", "Start"], store=own, work_tree=folder
    )
    git([*QUICK, "repack", "-a", "-d", "-q"], store=own)
