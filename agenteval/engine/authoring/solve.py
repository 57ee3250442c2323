"""Solving a task oneself: its workspace as an agent gets it, and the change taken as an agent's is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.base import Bases, copy_workspace, start_snapshot
from agenteval.engine.boxes import task_box
from agenteval.engine.freeze import Frozen, freeze
from agenteval.engine.launching import run_setup
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.surroundings import Surroundings
from agenteval.records import replace_file
from agenteval.sandbox import Box, Command, Sandbox, run_attached, run_in
from agenteval.suite import LoadedTask

SOLUTION = "solution.patch"


@dataclass(frozen=True)
class Solved:
    """What came of it.

    Attributes
    ----------
    exit_code
        Of the shell or command.
    frozen
        The change.
    saved
        File that holds it: the task's solution.patch after exit code 0; one aside after another;
        None when nothing was changed.
    replaced
        Where the solution lies that was there before; None when there was none.
    """

    exit_code: int
    frozen: Frozen
    saved: Path | None
    replaced: Path | None = None


def solve(
    task: LoadedTask,
    aside: Path,
    *,
    sandbox: Sandbox,
    command: str | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
) -> Solved:
    """Let somebody work in a task's workspace, and keep the change as its reference solution.

    Parameters
    ----------
    aside
        Folder for what must not be lost: a solution that is replaced, and a change that was not
        finished.
    command
        Shell command to run in the sandbox; without one, the operator's own shell is started on
        their terminal, outside of it.

    Raises
    ------
    Infrastructure
        When the workspace cannot be had.
    """
    with scratch_folder() as scratch:
        around = Surroundings(sandbox, Bases(scratch / "bases"), scratch)
        sandbox = around.sandbox_of(task)
        base = around.bases.get(task, sandbox)
        box = task_box(task, scratch / "work", hidden=(scratch / "bases",))
        copy_workspace(base, box.workspace, lasting=True)
        setup = (lambda: run_setup(task.task, sandbox, box, None)) if task.task.setup else None
        start = start_snapshot(base, box.workspace, scratch / "objects", setup)
        code = (
            _shell(task, box)
            if command is None
            else run_in(
                sandbox,
                box,
                Command(["sh", "-c", command], task.task.env),
                on_output=on_output,
            ).exit_code
        )
        frozen = freeze(box.workspace, start, base.rules)
    return _kept(task, aside, code, frozen)


def _shell(task: LoadedTask, box: Box) -> int:
    shell = os.environ.get("SHELL") or "/bin/sh"
    env = {**os.environ, **task.task.env, "AGENTEVAL_TASK": task.id}
    return run_attached([shell], env=env, cwd=box.workspace)


def _kept(task: LoadedTask, aside: Path, code: int, frozen: Frozen) -> Solved:
    if not frozen.patch:
        return Solved(code, frozen, None)
    if code != 0:
        path = _free(aside, f"{task.id}.unfinished")
        replace_file(path, frozen.patch)
        return Solved(code, frozen, path)
    target = task.folder / SOLUTION
    replaced = None
    if target.exists() and target.read_bytes() != frozen.patch:
        replaced = _free(aside, f"{task.id}.before")
        replaced.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, replaced)
    replace_file(target, frozen.patch)
    return Solved(code, frozen, target, replaced)


def _free(folder: Path, name: str) -> Path:
    """A path that nothing has yet."""
    number = 1
    while (path := folder / f"{name}-{number}.patch").exists():
        number += 1
    return path
