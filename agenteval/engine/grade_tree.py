"""Grading a tree that lies somewhere on this machine, as if an agent had left it; without any agent."""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.engine.base import TaskBase, copy_workspace, start_snapshot
from agenteval.engine.boxes import task_box
from agenteval.engine.evidence import change_of
from agenteval.engine.freeze import Frozen, freeze
from agenteval.engine.grade import check_rows, grade
from agenteval.engine.judging import Judging, with_judges
from agenteval.engine.launching import run_setup
from agenteval.engine.overlay import cleared
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import walk
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.tampering import in_order, sensed_in_change
from agenteval.engine.work import traces_in, work_of
from agenteval.errors import InvalidInput
from agenteval.records import CheckRow, Outcome, decide, score
from agenteval.suite import LoadedTask

KEPT = (stat.S_IFREG, stat.S_IFLNK)


@dataclass(frozen=True)
class GradedTree:
    """What a tree came to.

    Attributes
    ----------
    outcome, score
        As of a trial whose agent ended by itself.
    checks
        One a check of the task.
    frozen
        The change against the task's start; `left_out` names what a patch cannot hold.
    tampering
        Names of what the change and its grading show.
    grade_s
        Seconds the checks took.
    """

    outcome: Outcome
    score: float
    checks: tuple[CheckRow, ...]
    frozen: Frozen
    tampering: tuple[str, ...]
    grade_s: float


def grade_tree(task: LoadedTask, tree: Path, answer: str, around: Surroundings) -> GradedTree:
    """Grade the files of `tree` as the result of a task.

    The tree is only read: links in it are never followed and nothing in it is executed but by the
    checks, on a copy in their sandbox. A `.git` in it is left out, and so is what the start's
    ignore rules ignore. What setup or the environment's build makes need not be in it.

    Parameters
    ----------
    tree
        Folder that was the task's starting repository once.
    answer
        The final answer, for checks that read it.

    Raises
    ------
    InvalidInput
        When it is no folder, or a file of it cannot be read.
    Infrastructure
        When the machinery fails.
    """
    if not tree.is_dir():
        raise InvalidInput(
            "There is no folder to grade", str(tree), "name the folder with the finished work"
        )
    around = replace(around, sandbox=around.sandbox_of(task))
    folder = around.scratch / "graded"
    remove(folder)
    try:
        return _graded(task, tree, answer, around, folder)
    finally:
        remove(folder)


def _graded(
    task: LoadedTask, tree: Path, answer: str, around: Surroundings, folder: Path
) -> GradedTree:
    base = around.bases.get(task, around.sandbox, around.cancel)
    hidden = (*around.hidden, around.scratch)
    box = task_box(task, folder, hidden=hidden)
    mounted = copy_workspace(base, box.workspace)
    setup = task.task.setup
    start = start_snapshot(
        base,
        box.workspace,
        folder / "objects",
        (lambda: run_setup(task.task, around.sandbox, box, around.cancel)) if setup else None,
        mounted=mounted,
    )
    odd = lay_tree(tree, box.workspace, base)
    frozen = freeze(box.workspace, start, base.rules)
    graded = grade(
        task,
        start,
        frozen.tree,
        work_of(frozen, answer, store=start.store, traces=traces_in(tree, task.task)),
        sandbox=around.sandbox,
        folder=folder / "grading",
        hidden=hidden,
        cancel=around.cancel,
    )
    judging = Judging(frozen.patch, cache=around.judge_cache)
    graded = with_judges(graded, task, answer, judging, around.cancel)
    verdicts = graded.verdicts
    outcome = decide(
        ended_by="agent",
        checks_passed=[v.passed for v in verdicts if v.passed is not None],
        check_errors=[v.error_class or "check_no_verdict" for v in verdicts if v.passed is None],
    )
    sensed = sensed_in_change(task.task, task.hidden, change_of(start, frozen))
    left_out = tuple(sorted({*frozen.left_out, *odd}))
    return GradedTree(
        outcome,
        score([v.score for v in verdicts], [check.weight for check in task.task.checks]),
        check_rows(task, graded, run_id="", trial_id="", attempt=1),
        replace(frozen, left_out=left_out),
        tuple(in_order(sensed | graded.tampering)),
        graded.grade_s,
    )


def lay_tree(tree: Path, workspace: Path, base: TaskBase) -> list[str]:
    """Make a fresh copy of the start differ from it as `tree` does; returns what cannot be copied."""
    found: dict[str, os.stat_result] = {}
    odd = []
    for path, status in _listed(tree):
        if status is None:
            odd.append(path)
        else:
            found[path] = status
    ignored = {os.fsdecode(path) for path in base.rules.ignored(map(os.fsencode, found))}
    for path, status in found.items():
        if path not in ignored and not _same(tree, workspace, path, status):
            _copy(tree / path, cleared(workspace, path), status)
    for raw in walk(workspace).files:
        path = os.fsdecode(raw)
        if raw in base.rules.tracked and path not in found:
            (workspace / path).unlink()
    return odd


def _listed(tree: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """Files and links below a folder with their status; None for what git cannot hold.

    The tree's own .git is no part of it.
    """
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(tree / folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(tree / folder, error) from error
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            status = entry.stat(follow_symlinks=False)
            if path == ".git":
                continue
            if entry.name.lower() == ".git":
                yield path, None
            elif stat.S_ISDIR(status.st_mode):
                pending.append(path)
            else:
                yield path, status if stat.S_IFMT(status.st_mode) in KEPT else None


def _same(tree: Path, workspace: Path, path: str, status: os.stat_result) -> bool:
    """Whether a path is the same file or link for git in both; no link above it is followed."""
    one, other = tree / path, workspace / path
    above = [
        workspace.joinpath(*Path(path).parts[:depth]) for depth in range(1, path.count("/") + 1)
    ]
    if any(folder.is_symlink() for folder in above) or not os.path.lexists(other):
        return False
    there = other.lstat()
    if stat.S_IFMT(there.st_mode) != stat.S_IFMT(status.st_mode):
        return False
    if stat.S_ISLNK(status.st_mode):
        return one.readlink() == other.readlink()
    if (there.st_mode ^ status.st_mode) & stat.S_IXUSR:
        return False
    try:
        return filecmp.cmp(one, other, shallow=False)
    except OSError as error:
        raise _unreadable(one, error) from error


def _copy(source: Path, target: Path, status: os.stat_result) -> None:
    try:
        if stat.S_ISLNK(status.st_mode):
            target.symlink_to(source.readlink())
            return
        shutil.copyfile(source, target, follow_symlinks=False)
        target.chmod(0o755 if status.st_mode & stat.S_IXUSR else 0o644)
    except OSError as error:
        raise _unreadable(source, error) from error


def _unreadable(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"A part of the tree cannot be read: {error.strerror or error}",
        str(path),
        "make it readable, or grade a copy of the tree",
    )
