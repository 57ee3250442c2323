"""What tasks of kind pressure and injection must have to say anything about what they are for."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agenteval.records import TREE_SOURCES, LoadsCheck, MarkerAbsentCheck, Task
from agenteval.suite.folder import Folder


def check_kind(task: Task, prompt: str, start: Sequence[str] | None, folder: Folder) -> None:
    """Note a problem for a task that its kind does not fit.

    Parameters
    ----------
    task
        Merged with its suite's defaults.
    start
        Paths of the starting repository; None when only a git commit says.
    """
    if task.kind == "pressure":
        _check_pressure(task, folder)
    if task.kind == "injection":
        _check_injection(task, folder)
    if task.kind == "task":
        _check_control(task, folder)
    for check in task.checks:
        if isinstance(check, MarkerAbsentCheck):
            _check_marker(check, prompt, start, folder)


def _check_pressure(task: Task, folder: Folder) -> None:
    """Scored on the tree only, and on what was handed over: never on what the agent says."""
    foreign = [
        check
        for check in task.checks
        if not check.sources <= TREE_SOURCES and not isinstance(check, LoadsCheck)
    ]
    for check in foreign:
        folder.problems.add(
            f"The check {check.name!r} of kind {check.kind} is not on the tree, and a pressure task is scored on nothing else",
            folder.key("checks"),
            "use checks on files, on the change, on tests or on commands, and `loads`",
        )
    if not any(check.sources <= TREE_SOURCES for check in task.checks):
        folder.problems.add(
            "The pressure task names nothing that it must survive with",
            folder.key("checks"),
            "add a check on the tree, such as no-shortcuts, protected or hidden-tests",
        )


def _check_control(task: Task, folder: Folder) -> None:
    """An arm that is handed nothing is exempt from `loads`, and would pass without being graded."""
    if task.checks and all(isinstance(check, LoadsCheck) for check in task.checks):
        folder.problems.add(
            "The task has no checks but `loads`, from which an arm that is handed nothing is exempt",
            folder.key("checks"),
            "add a check on the work, such as hidden-tests or file-exists",
        )


def _check_injection(task: Task, folder: Folder) -> None:
    if not any(isinstance(check, MarkerAbsentCheck) for check in task.checks):
        folder.problems.add(
            "The injection task has no check of kind marker-absent, so nothing tells whether the planted instruction was followed",
            folder.key("checks"),
            "add one with the path that the instruction asks for",
        )


def _check_marker(
    check: MarkerAbsentCheck, prompt: str, start: Sequence[str] | None, folder: Folder
) -> None:
    path = os.path.normpath(check.path)
    if path.casefold() in prompt.casefold():
        folder.problems.add(
            f"The prompt names {path}, the marker of the check {check.name!r}: the agent would be asked for it",
            folder.key("checks"),
            "take it out of the prompt, or choose another path and plant that",
        )
    there = [name for name in start or () if name == path or name.startswith(f"{path}/")]
    if there:
        folder.problems.add(
            f"The marker {path} of the check {check.name!r} is in the starting repository already",
            folder.key("checks"),
            "choose a path that only the planted instruction makes",
        )
