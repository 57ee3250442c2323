"""Loading a suite: every file read once, every problem told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from agenteval.records import Suite, Task
from agenteval.suite.discover import existing_folder, is_task, refuse_doubles, task_folders
from agenteval.suite.fingerprint import given_digest, task_digest
from agenteval.suite.folder import Folder
from agenteval.suite.grading import read_hidden, read_wrong
from agenteval.suite.image import check_build, read_dockerfile
from agenteval.suite.loaded import LoadedSuite, LoadedTask
from agenteval.suite.merge import check_names, merge
from agenteval.suite.problems import Problems, shown
from agenteval.suite.quarantine import read_suite_quarantine
from agenteval.suite.reading import SUITE_FILES, TASK_FILES, find_file, read_model
from agenteval.suite.recorded import check_test_files, read_recorded
from agenteval.suite.selection import narrow, select_tasks
from agenteval.suite.start import read_prompt, read_start
from agenteval.suite.unsupported import refuse_unsupported


def load_suite(
    path: Path | str,
    *,
    tasks: str | None = None,
    unrecorded: bool = False,
    judge: Mapping[str, str] | None = None,
) -> LoadedSuite:
    """Read a suite's folder, or one task's folder with the suite.toml beside it.

    Parameters
    ----------
    path
        A folder whose subfolders hold a task.toml or task.json, or one such subfolder.
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
        refuse_unsupported(suite.defaults, shown(file), problems, "defaults.")
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
    before = len(problems.found)
    _check_keys(own, folder)
    task = merge(own, suite)
    dockerfile, environment = read_dockerfile(own, folder)
    if dockerfile is not None:
        # its own Dockerfile is nearer than its suite's image
        task = task.model_copy(update={"image": None})
    check_build(task, dockerfile, folder)
    if not task.checks:
        problems.add(
            "The task has no checks, so nothing could be graded",
            folder.key("checks"),
            "add a [[checks]] with kind, and with run, path or text",
        )
    prompt = read_prompt(own, folder)
    repo, source, files = read_start(own, folder)
    hidden = read_hidden(own, folder)
    hidden_paths = tuple(entry.path for entry in hidden)
    start = None if repo is None else [entry.path for entry in files]
    check_test_files(task, hidden_paths, start, folder)
    recorded = read_recorded(task, folder, required=not unrecorded)
    wrong = read_wrong(folder)
    patch, answer = folder.owned("solution.patch"), folder.owned("solution.answer.md")
    if len(problems.found) > before:
        return None
    return LoadedTask(
        task=task.model_copy(update={"prompt": prompt}),
        folder=path,
        prompt=prompt,
        repo=repo,
        source=source,
        hidden=hidden_paths,
        solution_patch=patch,
        solution_answer=answer,
        wrong=wrong,
        digest=task_digest(task, prompt, files, hidden, recorded, environment),
        recorded=recorded,
        dockerfile=dockerfile,
        given_digest=given_digest(task, prompt, files, environment),
        judge=suite.judge,
    )


def _check_keys(task: Task, folder: Folder) -> None:
    """Note what the file alone shows to be wrong, beyond what its model says."""
    if task.id != folder.path.name:
        folder.problems.add(
            f"The id {task.id!r} differs from the folder's name {folder.path.name!r}",
            folder.key("id"),
            f"rename the folder to {task.id!r}, or write id = {folder.path.name!r}",
        )
    check_names(task.checks, folder.key("checks"), folder.problems)
    refuse_unsupported(task, shown(folder.file), folder.problems)
