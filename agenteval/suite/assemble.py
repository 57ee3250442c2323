"""From what an author wrote of one task, and the files that belong to it, to a task that can be run."""

from __future__ import annotations

from pathlib import Path

from agenteval.records import Suite, Task
from agenteval.suite.fingerprint import given_digest, task_digest
from agenteval.suite.folder import Folder
from agenteval.suite.grading import read_hidden, read_wrong
from agenteval.suite.image import check_build, read_dockerfile
from agenteval.suite.kinds import check_kind
from agenteval.suite.loaded import LoadedTask
from agenteval.suite.merge import check_names, merge
from agenteval.suite.problems import shown
from agenteval.suite.recorded import check_test_files, read_recorded
from agenteval.suite.start import read_prompt, read_start
from agenteval.suite.tree import Entry
from agenteval.suite.unsupported import refuse_unsupported

Start = tuple[Path | None, Path | None, tuple[Entry, ...]]


def assemble(
    own: Task,
    suite: Suite,
    folder: Folder,
    *,
    unrecorded: bool = False,
    start: Start | None = None,
) -> LoadedTask | None:
    """Merge a task with its suite's defaults and read its files; None, and problems noted, when anything is wrong.

    Parameters
    ----------
    own
        The task as its author wrote it.
    folder
        Where its files are.
    unrecorded
        Whether test ids may be missing that were not recorded yet.
    start
        Where it starts, if that is not for its folder to say.
    """
    problems = folder.problems
    before = len(problems.found)
    check_names(own.checks, folder.key("checks"), problems)
    refuse_unsupported(own, shown(folder.file), problems)
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
    repo, source, files = read_start(own, folder) if start is None else start
    hidden = read_hidden(own, folder)
    hidden_paths = tuple(entry.path for entry in hidden)
    starting = None if repo is None else [entry.path for entry in files]
    check_kind(task, prompt, starting, folder)
    check_test_files(task, hidden_paths, starting, folder)
    recorded = read_recorded(task, folder, required=not unrecorded)
    wrong = read_wrong(folder)
    patch, answer = folder.owned("solution.patch"), folder.owned("solution.answer.md")
    if len(problems.found) > before:
        return None
    return LoadedTask(
        task=task.model_copy(update={"prompt": prompt}),
        folder=folder.path,
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
        dimensions=tuple(suite.dimensions),
    )
