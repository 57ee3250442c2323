"""What all trials of one task start from, prepared once a process and never written again."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.engine.environment import built_environment, lay_in
from agenteval.engine.freeze import IgnoreRules, ignore_rules
from agenteval.engine.git import GitError, git, new_bare, new_repository
from agenteval.engine.layers import mount_workspace, worth_mounting
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import (
    LaidOut,
    Snapshot,
    lay_out,
    take,
    trusted_stamps,
    wait_for_tick,
    walk,
)
from agenteval.errors import Infrastructure
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask, is_junk


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

    Copies of a large one are mounts (`start.laid_out`).
    """

    tree: Path
    start: Snapshot
    rules: IgnoreRules


class Bases:
    """Prepares each task's base once, whichever thread asks first.

    A base that cannot be had is not tried again unless it is asked for: its trials fail alike,
    without paying for it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._ready: dict[str, TaskBase] = {}
        self._failed: dict[str, Infrastructure] = {}

    def get(
        self, task: LoadedTask, sandbox: Sandbox, cancel: threading.Event | None = None
    ) -> TaskBase:
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
            if key in self._failed:
                raise self._failed[key]
            if key not in self._ready:
                remove(self.folder / key)
                try:
                    self._ready[key] = _prepare(task, sandbox, self.folder / key, cancel)
                except Infrastructure as error:
                    if cancel is None or not cancel.is_set():
                        self._failed[key] = error
                    raise
            return self._ready[key]

    def forget_failure(self, task: LoadedTask) -> None:
        """Let a base that could not be had be tried again."""
        with self._lock:
            self._failed.pop(f"{task.task.id}-{task.digest}", None)


def _prepare(
    task: LoadedTask, sandbox: Sandbox, folder: Path, cancel: threading.Event | None
) -> TaskBase:
    tree = folder / "tree"
    folder.mkdir(parents=True)
    starting_files(task, folder, tree)
    tracked = frozenset(walk(tree).files)
    environment = built_environment(task, tree, sandbox, cancel)
    new_repository(tree)
    if environment is not None:
        lay_in(environment, tree)
    store = new_bare(folder / "start.git")
    rules = ignore_rules(folder / "ignore", store, tree, tracked)
    wait_for_tick()  # no file of a base is ever read again to see whether it has changed
    start = take(tree, store)
    if worth_mounting(walk(tree), folder):
        lay_out(start, start.tree, folder / "laid-out")
        start = replace(start, laid_out=LaidOut(folder / "laid-out", start.tree))
    return TaskBase(tree, start, rules)


def starting_files(task: LoadedTask, folder: Path, tree: Path) -> None:
    """Write a task's starting repository to `tree`; `folder` is for what that needs."""
    if task.repo is not None:
        shutil.copytree(task.repo, tree, symlinks=True, ignore=_junk)
        return
    source = task.task.source
    if source is None or task.source is None:
        raise Infrastructure(
            "The task has no starting repository",
            f"task {task.task.id}",
            "add repo/ or [source]",
            "workspace_failed",
        )
    try:
        objects = git(
            ["rev-parse", "--path-format=absolute", "--git-path", "objects"], cwd=task.source
        )
    except GitError as error:
        raise Infrastructure(
            "The source is no git repository on this machine",
            f"task {task.task.id}: {task.source}",
            "correct `git` in [source]",
            "workspace_failed",
        ) from error
    borrowed = new_bare(folder / "source.git", Path(objects.decode().rstrip("\n")))
    try:
        commit = git(["rev-parse", "--verify", f"{source.rev}^{{tree}}"], store=borrowed)
    except GitError as error:
        raise Infrastructure(
            f"The source has no commit {source.rev}",
            f"task {task.task.id}: {task.source}",
            "correct `rev` in [source]",
            "workspace_failed",
        ) from error
    name = commit.decode().strip()
    lay_out(Snapshot(borrowed, name, {}), name, tree)


def _junk(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if is_junk(name)}


def copy_workspace(base: TaskBase, folder: Path, *, lasting: bool = False) -> bool:
    """A fresh copy of the base, its git history included; returns whether it is only a mount.

    Parameters
    ----------
    lasting
        Whether it must outlive this process.
    """
    if base.start.laid_out is not None and not lasting:
        mount_workspace(base.tree, folder)
        return True
    shutil.copytree(base.tree, folder, symlinks=True, dirs_exist_ok=True)
    return False


def start_snapshot(
    base: TaskBase,
    folder: Path,
    objects: Path,
    setup: Callable[[], None] | None,
    *,
    mounted: bool = False,
) -> Snapshot:
    """Snapshot of a fresh copy, after `setup` if there is one: its changes are not the agent's.

    Parameters
    ----------
    mounted
        Whether the copy is a mount, whose untouched files have the stamps of the base's.
    """
    start = replace(base.start, store=base.start.store.extended(objects))
    if not mounted:
        found = walk(folder)
        start = replace(start, stamps=trusted_stamps(found), folders=found.folders, odd=found.odd)
    if setup is not None:
        setup()
        start = take(folder, start.store, start)
    return start
