"""Loading a suite: every file read once, every problem told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agenteval.records import Suite, Task
from agenteval.suite.assemble import assemble
from agenteval.suite.discover import existing_folder, is_task, refuse_doubles, task_folders
from agenteval.suite.folder import Folder
from agenteval.suite.loaded import LoadedSuite, LoadedTask
from agenteval.suite.merge import check_names
from agenteval.suite.module import is_module, load_module_suite
from agenteval.suite.problems import Problems, shown
from agenteval.suite.quarantine import read_suite_quarantine
from agenteval.suite.reading import SUITE_FILES, TASK_FILES, find_file, read_model
from agenteval.suite.selection import narrow, select_tasks


def load_suite(
    path: Path | str,
    *,
    tasks: str | None = None,
    unrecorded: bool = False,
    judge: Mapping[str, str] | None = None,
) -> LoadedSuite:
    """Read a suite's folder, one task's folder with the suite.toml beside it, or a Python module.

    Parameters
    ----------
    path
        A folder whose subfolders hold a task.toml or task.json, one such subfolder, or a .py file
        that exports `suite`; the module is run in this process.
    tasks
        A selection as in `select_tasks`; None loads every task, those of the holdout split
        included. When it names ids, other tasks are not read at all, so a task that is
        still being written does not stop the one that is asked for.
    unrecorded
        Take tasks whose test ids are not recorded yet, which only `validate` can use.
    judge
        What a command line says of the judge, before suite.toml: `model`, `base_url`, `api`,
        `key_env`.

    Returns
    -------
    LoadedSuite
        Tasks by id, merged with the suite's defaults.

    Raises
    ------
    TaskError
        With everything that is wrong in any file of the suite.
    InvalidInput
        When `tasks` selects nothing.
    """
    if is_module(Path(path)):
        whole = load_module_suite(Path(path), unrecorded=unrecorded, judge=judge)
        return whole if tasks is None else replace(whole, tasks=select_tasks(whole, tasks))
    asked = existing_folder(Path(path).absolute())
    single = is_task(asked)
    folder = asked.parent if single else asked
    problems = Problems()
    suite = _read_suite(folder, problems)
    if suite is not None and judge:
        suite = suite.model_copy(update={"judge": suite.judge.overridden(**judge)})
    folders = [asked] if single else task_folders(folder, problems)
    if tasks is not None and folders:
        folders = narrow(folders, tasks)
    loaded = [
        task
        for path in folders
        if (task := _load_task(path, suite, problems, unrecorded=unrecorded))
    ]
    refuse_doubles(folders, problems)
    name = (suite.name if suite else "") or folder.resolve().name
    aside = read_suite_quarantine(folder, name, filter(is_task, sorted(folder.iterdir())), problems)
    problems.raise_if_any(folder)
    assert suite is not None  # else it has left a problem
    tasks_read = (replace(task, quarantined=aside.get(task.id)) for task in loaded)
    whole = LoadedSuite(name, folder, suite, tuple(tasks_read))
    if tasks is None:
        return whole
    return LoadedSuite(whole.name, folder, suite, select_tasks(whole, tasks, holdout=single))


def _read_suite(folder: Path, problems: Problems) -> Suite | None:
    before = len(problems.found)
    file = find_file(folder, SUITE_FILES, problems)
    suite = read_model(file, Suite, problems) if file else Suite.model_validate({})
    if file and suite:
        check_names(suite.defaults.checks, f"{shown(file)}, key defaults.checks", problems)
    return suite if len(problems.found) == before else None


def _load_task(
    path: Path, suite: Suite | None, problems: Problems, *, unrecorded: bool
) -> LoadedTask | None:
    file = find_file(path, TASK_FILES, problems)
    own = read_model(file, Task, problems) if file else None
    if own is None or file is None or suite is None:
        return None
    folder = Folder(path, file, problems)
    if own.id != path.name:
        problems.add(
            f"The id {own.id!r} differs from the folder's name {path.name!r}",
            folder.key("id"),
            f"rename the folder to {own.id!r}, or write id = {path.name!r}",
        )
    return assemble(own, suite, folder, unrecorded=unrecorded)
