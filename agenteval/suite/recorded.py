"""tests.json: the test ids that the reference solution passes, by check.

`agenteval validate` writes it. A check on single tests without it could not say what is missing,
so a task with such a check and no ids does not load.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agenteval.records import HiddenTestsCheck, RecordedCheck, Task, replace_file
from agenteval.suite.folder import Folder
from agenteval.suite.problems import nearest
from agenteval.suite.runners import files_to_run, runner_of
from agenteval.suite.syntax import read_document

RECORDED = "tests.json"
_RECORD = "run `agenteval validate --record`, which writes it"


def recorded_checks(task: Task) -> list[RecordedCheck]:
    """Checks of a task whose test ids are recorded."""
    return [check for check in task.checks if isinstance(check, RecordedCheck)]


def check_test_files(
    task: Task, hidden: Sequence[str], start: Iterable[str] | None, folder: Folder
) -> None:
    """Note a problem for every check on single tests that would have nothing it can run.

    Parameters
    ----------
    hidden
        Paths of the hidden files.
    start
        Paths of the starting repository; None when only a git commit says.
    """
    paths = None if start is None else list(start)
    for check in recorded_checks(task):
        files = files_to_run(check, hidden, paths or (), task.tests)
        _check_runner(check, files, folder)
        if isinstance(check, HiddenTestsCheck):
            _check_listed(check, hidden, folder)
            if not files:
                folder.problems.add(
                    f"The check {check.name!r} runs nothing: no hidden file is named like a test",
                    folder.key("checks"),
                    "name test files test_*.py or *.test.js, or list them in `files`",
                )
        elif not task.tests or (paths is not None and not files):
            folder.problems.add(
                f"The check {check.name!r} runs nothing: `tests` names no test of the starting repository",
                folder.key("tests"),
                'give globs of its test files, as in tests = ["tests/**"]',
            )


def _check_listed(check: HiddenTestsCheck, hidden: Sequence[str], folder: Folder) -> None:
    for name in check.files:
        if name not in hidden:
            near = nearest(name, hidden)
            folder.problems.add(
                f"The check {check.name!r} runs {name!r}, which is not among the hidden files",
                folder.key("checks"),
                f"write {near!r}" if near else "put it into hidden/, or correct the path",
            )


def _check_runner(check: RecordedCheck, files: Sequence[str], folder: Folder) -> None:
    runners = {runner_of(file) for file in files}
    foreign = next((file for file in files if runner_of(file) is None), None)
    if foreign:
        folder.problems.add(
            f"The check {check.name!r} cannot lay its tripwire into {foreign!r}",
            folder.key("checks"),
            "use tests in Python, JavaScript or TypeScript, or a check of kind command",
        )
    elif len(runners) > 1 and check.run is None:
        folder.problems.add(
            f"The check {check.name!r} has files for pytest and for Node, and no `run`",
            folder.key("checks"),
            "make one check for each, or give the command in `run`",
        )


def read_recorded(
    task: Task, folder: Folder, *, required: bool = True
) -> dict[str, tuple[str, ...]]:
    """Read the recorded ids of a task's checks: check name to ids; empty when it has no such check.

    Parameters
    ----------
    required
        Note a problem for every check without ids.
    """
    names = [check.name for check in recorded_checks(task)]
    if not names:
        return {}
    path = folder.owned(RECORDED)
    data = read_document(path, folder.problems) if path else {}
    if data is None:
        return {}
    for name in data:
        if name not in names and required:
            folder.problems.add(
                f"{RECORDED} has ids for {name!r}, and no check on single tests has that name",
                folder.path / RECORDED,
                _RECORD.replace("writes", "rewrites"),
            )
    found = {name: _ids(data[name]) for name in names if name in data}
    for name in names:
        if required and not found.get(name):
            what = "no recorded test ids" if name not in data else "no list of test ids"
            folder.problems.add(
                f"The check {name!r} has {what} in {RECORDED}", folder.path / RECORDED, _RECORD
            )
    return {name: ids for name, ids in found.items() if ids}


def write_recorded(folder: Path, recorded: Mapping[str, Iterable[str]]) -> Path:
    """Write the recorded ids of a task into its folder; returns the file."""
    ordered = {name: sorted(ids) for name, ids in sorted(recorded.items())}
    path = folder / RECORDED
    replace_file(path, json.dumps(ordered, indent=1, ensure_ascii=False).encode() + b"\n")
    return path


def _ids(value: Any) -> tuple[str, ...]:
    """Ids as written; empty when it is no list of different texts."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        return ()
    return tuple(value) if len(set(value)) == len(value) else ()
