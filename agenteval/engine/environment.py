"""`[environment]`: dependencies built once per digest of their keys, cached across runs."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import sys
import threading
from pathlib import Path

from agenteval.engine.boxes import task_box
from agenteval.engine.overlay import lay_over
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import stamp, wait_for_tick, walk
from agenteval.errors import Infrastructure
from agenteval.records import Environment, digest
from agenteval.sandbox import MAX_PROCESSES, Bounds, Command, Sandbox, run_in
from agenteval.suite import LoadedTask

BUILD_TIMEOUT_S = 1800.0


def cache_folder() -> Path:
    """Where built environments are kept: $AGENTEVAL_CACHE, else the user's cache folder."""
    own = os.environ.get("AGENTEVAL_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agenteval"


def environment_digest(
    task: LoadedTask, environment: Environment, repo: Path, sandbox: Sandbox
) -> str:
    """Hash of what decides the built files: commands, key files (all without keys), image, platform.

    Raises
    ------
    Infrastructure
        When a key file is missing.
    """
    names = environment.key or [os.fsdecode(path) for path in sorted(walk(repo).files)]
    parts = [
        json.dumps([environment.model_dump(), task.task.env, task.task.requires], sort_keys=True),
        sandbox.identity,
        sys.version,
        platform.platform(),
    ]
    for name in names:
        path = repo / name
        if path.is_symlink():
            parts += [name, str(path.readlink())]
        elif path.is_file():
            parts += [name, digest(path.read_bytes())]
        else:
            raise Infrastructure(
                "A key of [environment] is not in the starting repository",
                f"{repo}/{name}",
                "correct `key` in task.toml",
                "environment_build_failed",
            )
    return digest(*parts)


def built_environment(
    task: LoadedTask, repo: Path, sandbox: Sandbox, cancel: threading.Event | None = None
) -> Path | None:
    """Folder of what the build added to `repo`; built now if it is not in the cache.

    Two processes that want the same environment build it once: the second waits for the first.

    Raises
    ------
    Infrastructure
        Class `environment_build_failed`: never a zero for the agent.
    """
    environment = task.task.environment
    if environment is None or not environment.build:
        return None
    home = cache_folder() / "environments"
    home.mkdir(parents=True, exist_ok=True)
    name = environment_digest(task, environment, repo, sandbox)
    ready = home / name
    with (home / f"{name}.lock").open("w") as lock:
        _acquire(lock.fileno(), cancel)
        if not ready.exists():
            work = home / f"{name}.building"
            remove(work)  # left by a builder that was killed: we hold its lock
            try:
                _build(task, environment, repo, sandbox, work, cancel).rename(ready)
            finally:
                remove(work)
    return ready


def lay_in(environment: Path, folder: Path) -> None:
    """Copy a built environment over a copy of the repository."""
    lay_over(environment, [os.fsdecode(path) for path in walk(environment).files], folder)


def _acquire(lock: int, cancel: threading.Event | None) -> None:
    """Wait for another process's build, which may take long, without being deaf to a stop."""
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if (cancel or threading.Event()).wait(0.1):
                raise Infrastructure(
                    "Stopped while another process built the environment",
                    error_class="environment_build_failed",
                ) from None


def _build(
    task: LoadedTask,
    environment: Environment,
    repo: Path,
    sandbox: Sandbox,
    work: Path,
    cancel: threading.Event | None,
) -> Path:
    box = task_box(task, work, network=environment.network)
    shutil.copytree(repo, box.workspace, symlinks=True, dirs_exist_ok=True)
    wait_for_tick()
    before = {path: stamp(status) for path, status in walk(box.workspace).files.items()}
    for command in environment.build:
        done = run_in(
            sandbox,
            box,
            Command(["sh", "-c", command], task.task.env),
            bounds=Bounds(timeout_s=BUILD_TIMEOUT_S, max_processes=MAX_PROCESSES),
            cancel=cancel,
        )
        if done.exit_code != 0 or done.stopped_by:
            tail = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-800:]
            raise Infrastructure(
                f"The environment's build command ended with {done.stopped_by or done.exit_code}: {tail}",
                f"task {task.task.id}: {command}",
                "mend [environment] build, or set network = true if it downloads",
                "environment_build_failed",
            )
    added = work / "added"
    added.mkdir()
    for path, status in walk(box.workspace).files.items():
        if before.get(path) != stamp(status):
            target = added / os.fsdecode(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(box.workspace / os.fsdecode(path), target)
    return added
