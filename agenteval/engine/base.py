"""What all trials of one task start from, prepared once a process and never written again."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.environment import built_environment, lay_in
from agenteval.engine.freeze import IgnoreRules, ignore_rules
from agenteval.engine.git import GitError, git, new_bare, new_repository
from agenteval.engine.snapshot import Snapshot, lay_out, stamp, take, walk
from agenteval.errors import Infrastructure
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class TaskBase:
    """A task's starting point.

    Attributes
    ----------
    tree
        Starting repository as one fresh commit, with the built environment laid in.
    start
        Snapshot of it, ignored files included.
    rules
        Ignore rules of the start commit.
    """

    tree: Path
    start: Snapshot
    rules: IgnoreRules


class Bases:
    """Prepares each task's base once, whichever thread asks first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._ready: dict[str, TaskBase] = {}

    def get(self, task: LoadedTask, sandbox: Sandbox) -> TaskBase:
        """Return the base of a task.

        Raises
        ------
        Infrastructure
            When the starting repository or the environment cannot be had.
        """
        key = f"{task.task.id}-{task.digest}"
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._ready:
                shutil.rmtree(self.folder / key, ignore_errors=True)
                self._ready[key] = _prepare(task, sandbox, self.folder / key)
            return self._ready[key]


def _prepare(task: LoadedTask, sandbox: Sandbox, folder: Path) -> TaskBase:
    tree = folder / "tree"
    folder.mkdir(parents=True)
    _starting_files(task, folder, tree)
    tracked = frozenset(walk(tree).files)
    environment = built_environment(task, tree, sandbox)
    new_repository(tree)
    if environment is not None:
        lay_in(environment, tree)
    store = folder / "start.git"
    new_bare(store)
    rules = ignore_rules(folder / "ignore", store, tree, tracked)
    return TaskBase(tree, take(tree, store), rules)


def _starting_files(task: LoadedTask, folder: Path, tree: Path) -> None:
    if task.repo is not None:
        shutil.copytree(task.repo, tree, symlinks=True)
        return
    source = task.task.source
    if source is None or task.source is None:
        raise Infrastructure(
            "The task has no starting repository",
            f"task {task.task.id}",
            "add repo/ or [source]",
            "workspace_failed",
        )
    origin = task.source
    borrowed = folder / "source.git"
    objects = next(
        (path for path in (origin / ".git/objects", origin / "objects") if path.is_dir()), None
    )
    if objects is None:
        raise Infrastructure(
            "The source is no git repository on this machine",
            f"task {task.task.id}: {origin}",
            "correct `git` in [source]",
            "workspace_failed",
        )
    new_bare(borrowed, alternate=objects.resolve())
    try:
        commit = (
            git(["rev-parse", "--verify", f"{source.rev}^{{tree}}"], git_dir=borrowed)
            .decode()
            .strip()
        )
    except GitError as error:
        raise Infrastructure(
            f"The source has no commit {source.rev}",
            f"task {task.task.id}: {origin}",
            "correct `rev` in [source]",
            "workspace_failed",
        ) from error
    lay_out(Snapshot(borrowed, commit, {}), commit, tree)


def copy_workspace(base: TaskBase, folder: Path) -> None:
    """A fresh copy of the base, its git history included."""
    shutil.copytree(base.tree, folder, symlinks=True, dirs_exist_ok=True)


def start_snapshot(
    base: TaskBase, folder: Path, store: Path, setup: Callable[[], None] | None
) -> Snapshot:
    """Snapshot of a fresh copy, after `setup` if there is one: its changes are not the agent's."""
    new_bare(store, alternate=base.start.store / "objects")
    found = walk(folder)
    fresh = Snapshot(
        store,
        base.start.tree,
        dict(base.start.entries),
        {path: stamp(status) for path, status in found.files.items()},
        found.folders,
        found.odd,
    )
    if setup is None:
        return fresh
    setup()
    return take(folder, store, fresh)
