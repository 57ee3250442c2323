"""`[environment]`: dependencies built once per digest of their keys, cached across runs."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from agenteval.engine.snapshot import stamp, walk
from agenteval.errors import Infrastructure
from agenteval.records import Environment, digest
from agenteval.sandbox import Bounds, Box, Command, Sandbox, program_folders, run_in
from agenteval.suite import LoadedTask

BUILD_TIMEOUT_S = 1800.0


def cache_folder() -> Path:
    """Where built environments are kept: $AGENTEVAL_CACHE, else the user's cache folder."""
    own = os.environ.get("AGENTEVAL_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agenteval"


def environment_digest(environment: Environment, repo: Path, sandbox: Sandbox) -> str:
    """Hash of what decides the built files: commands, key files (all files without keys), platform.

    Raises
    ------
    Infrastructure
        When a key file is missing.
    """
    names = environment.key or [os.fsdecode(path) for path in sorted(walk(repo).files)]
    parts = [
        json.dumps(environment.model_dump(), sort_keys=True),
        sandbox.name,
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


def built_environment(task: LoadedTask, repo: Path, sandbox: Sandbox) -> Path | None:
    """Folder of what the build added to `repo`; built now if it is not in the cache.

    Two processes that want the same environment build it once: the second waits for the first.

    Raises
    ------
    Infrastructure
        Class `environment_build_failed`: never a zero for the agent.
    """
    environment = task.task.environment
    if environment is None:
        return None
    home = cache_folder() / "environments"
    home.mkdir(parents=True, exist_ok=True)
    name = environment_digest(environment, repo, sandbox)
    ready = home / name
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            with tempfile.TemporaryDirectory(dir=home, prefix=f"{name}.building-") as work:
                added = _build(task, environment, repo, sandbox, Path(work))
                added.rename(ready)
    return ready


def lay_in(environment: Path, folder: Path) -> None:
    """Copy a built environment over a copy of the repository."""
    shutil.copytree(environment, folder, symlinks=True, dirs_exist_ok=True)


def _build(
    task: LoadedTask, environment: Environment, repo: Path, sandbox: Sandbox, work: Path
) -> Path:
    box = Box(
        work / "tree",
        work / "home",
        work / "tmp",
        work / "inputs",
        tuple(program_folders(task.task.requires)),
        environment.network,
    )
    shutil.copytree(repo, box.workspace, symlinks=True)
    box.create()
    before = {path: stamp(status) for path, status in walk(box.workspace).files.items()}
    for command in environment.build:
        done = run_in(
            sandbox,
            box,
            Command(["sh", "-c", command], task.task.env),
            bounds=Bounds(timeout_s=BUILD_TIMEOUT_S),
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
