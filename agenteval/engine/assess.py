"""What validation says of a task beside pass and fail: idle checks, leaks, untold names, time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.base import starting_files
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.validate import Finding
from agenteval.errors import Infrastructure
from agenteval.records import FilesChangedCheck, ProtectedCheck, Status, check_label, matches
from agenteval.suite import LoadedTask
from agenteval.suite.authoring import (
    Leak,
    find_leaks,
    names_in,
    texts_below,
    untold_names,
)


@dataclass(frozen=True)
class Assessment:
    """What is to be known of one task.

    Attributes
    ----------
    task_id
        Task.
    always_pass
        Checks that no solution failed: they tell nothing apart, or guard what no wrong solution
        of the task breaks.
    never_pass
        Checks that no solution passed.
    leaks
        Where the agent can see its hidden tests.
    untold
        Names that hidden tests use and neither prompt nor starting repository tells.
    grade_s
        Longest time a grading took; None when there was none.
    network
        Whether its setup, agent and checks may use the network, on which its outcome can depend.
    unheld
        Globs of `protected` that no check holds: edits there are counted and fail nothing.
    """

    task_id: str
    always_pass: tuple[str, ...]
    never_pass: tuple[str, ...]
    leaks: tuple[Leak, ...]
    untold: tuple[str, ...]
    grade_s: float | None
    network: bool = False
    unheld: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing of it makes the task no real test."""
        return not self.never_pass and not self.leaks


def assess(task: LoadedTask, findings: Iterable[Finding]) -> Assessment:
    """Look at a task's files, and at which of its checks told its solutions apart.

    Parameters
    ----------
    findings
        Those of this task.
    """
    own = [f for f in findings if f.task_id == task.id]
    judged = [f for f in own if f.status not in (None, Status.SKIPPED)]
    labels = [check_label(check, seq) for seq, check in enumerate(task.task.checks, 1)]
    failed = {name: [name in f.failing for f in judged] for name in labels}
    complete = bool(judged) and any(f.should_pass for f in judged)
    times = [f.seconds for f in own if f.seconds is not None]
    leaks, untold = _read(task)
    return Assessment(
        task.id,
        tuple(n for n in labels if complete and not any(failed[n])),
        tuple(n for n in labels if complete and all(failed[n])),
        leaks,
        untold,
        max(times, default=None),
        task.task.network,
        tuple(glob for glob in task.task.protected if not _held(task, glob)),
    )


def _held(task: LoadedTask, glob: str) -> bool:
    """Whether a check fails an edit of what a glob names."""
    for check in task.task.checks:
        if isinstance(check, ProtectedCheck) and any(matches(glob, own) for own in check.globs):
            return True
        bounds = check.only if isinstance(check, FilesChangedCheck) else []
        if bounds and not any(matches(glob, own) or matches(own, glob) for own in bounds):
            return True
    return False


def _read(task: LoadedTask) -> tuple[tuple[Leak, ...], tuple[str, ...]]:
    if task.repo is not None:
        return _compared(task, texts_below(task.repo))
    with scratch_folder() as scratch:
        try:
            starting_files(task, scratch, scratch / "tree")
        except Infrastructure:  # the trials say so
            return (), ()
        return _compared(task, texts_below(scratch / "tree"))


def _compared(task: LoadedTask, start: dict[str, str]) -> tuple[tuple[Leak, ...], tuple[str, ...]]:
    hidden = {path: _text(task.folder / "hidden" / path) for path in task.hidden}
    given = {**start, "prompt": task.prompt, "setup": "\n".join(task.task.setup)}
    names = frozenset[str]().union(*map(names_in, (*start, *start.values())))
    patch = "" if task.solution_patch is None else _text(task.solution_patch)
    untold = untold_names(task.prompt, names, patch, hidden.values())
    return tuple(find_leaks(given, hidden)), untold


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
