"""A suite that is a Python module: it runs in the operator's own process, on purpose.

It exports `suite`, a `SuiteDefinition`, and may export `agent`, which runs all of its tasks.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from agenteval.errors import TaskError
from agenteval.records import digest
from agenteval.suite.assemble import Start, assemble
from agenteval.suite.definition import SuiteDefinition, TaskDefinition
from agenteval.suite.folder import Folder
from agenteval.suite.loaded import LoadedSuite, LoadedTask
from agenteval.suite.merge import check_names
from agenteval.suite.problems import Problems, shown
from agenteval.suite.quarantine import read_suite_quarantine
from agenteval.suite.tree import read_tree

ENDING = ".py"


def is_module(path: Path) -> bool:
    """Whether a path means a suite that is a Python module."""
    return path.suffix == ENDING and path.is_file()


def load_module_suite(
    path: Path, *, unrecorded: bool = False, judge: Mapping[str, str] | None = None
) -> LoadedSuite:
    """Run a module and read the suite it exports; arguments as in `load_suite`.

    Raises
    ------
    TaskError
        When the module fails or exports no suite, and with everything that is wrong in the suite.
    """
    path = path.absolute()
    module = run_module(path)
    suite = getattr(module, "suite", None)
    if not isinstance(suite, SuiteDefinition):
        raise TaskError(
            "The module exports no suite"
            if suite is None
            else f"The module's `suite` is a {type(suite).__name__}",
            shown(path),
            "write suite = SuiteDefinition(tasks=[TaskDefinition(...)]), both from agenteval.suite",
        )
    if judge:
        suite = suite.model_copy(update={"judge": suite.judge.overridden(**judge)})
    problems = Problems()
    if not suite.tasks:
        problems.add("The suite is empty: it defines no task", path, "add a TaskDefinition")
    _refuse_doubles(suite, path, problems)
    check_names(suite.defaults.checks, f"{shown(path)}, defaults.checks", problems)
    name = suite.name or path.stem
    folders = [_folder_of(task, path) for task in suite.tasks]
    ids = [path.parent / task.id for task in suite.tasks]
    aside = read_suite_quarantine(path.parent, name, ids, problems)
    loaded: list[LoadedTask] = []
    for task, folder in zip(suite.tasks, folders, strict=True):
        place = ModuleFolder(folder, path, problems, task.id)
        read = assemble(
            task.plain, suite, place, unrecorded=unrecorded, start=_start(task, path, place)
        )
        loaded += [] if read is None else [read]
    problems.raise_if_any(path)
    tasks = tuple(_set_aside(task, aside) for task in sorted(loaded, key=lambda task: task.id))
    return LoadedSuite(name, path.parent, suite, tasks, path, hasattr(module, "agent"))


@dataclass(frozen=True)
class ModuleFolder(Folder):
    """One task's folder; its keys are in the module."""

    task: str = ""

    def key(self, name: str) -> str:
        """Where a key of the task is."""
        return f"{shown(self.file)}, task {self.task}, key {name}"


def module_agent(path: Path) -> Any:
    """The agent that a module exports.

    Raises
    ------
    TaskError
        When it exports none.
    """
    agent = getattr(run_module(path.absolute()), "agent", None)
    missing = [
        name for name in ("version", "inputs", "launch", "report") if not hasattr(agent, name)
    ]
    if agent is None or missing:
        raise TaskError(
            "The module exports no `agent`"
            if agent is None
            else f"The module's `agent` has no {missing[0]}()",
            shown(path),
            "export an object that fits agenteval.agents.Agent",
        )
    return agent


_ran: dict[tuple[Path, str], ModuleType] = {}


def run_module(path: Path) -> ModuleType:
    """Run a module's file, once for each contents; modules beside it can be imported.

    Raises
    ------
    TaskError
        When it cannot be read, or fails.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise TaskError(
            f"The module cannot be read: {error.strerror}", shown(path), "correct the path"
        ) from error
    key = (path, digest(source))
    if key in _ran:
        return _ran[key]
    module = ModuleType(f"agenteval_suite_{digest(str(path), source)}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:  # else the command would end well with nothing run
        del sys.modules[module.__name__]
        raise TaskError(
            f"The suite's module failed: {_told(error)}",
            f"{shown(path)}, line {_line_of(error, path)}",
            "mend the module; `python` runs it too",
        ) from error
    finally:
        with contextlib.suppress(ValueError):  # the module may have tidied up itself
            sys.path.remove(str(path.parent))
    _ran[key] = module
    return module


def _told(error: Exception | SystemExit) -> str:
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False)
        parts = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found]
        return f"{error.title}: {'; '.join(parts)}"
    return f"{type(error).__name__}: {error}"


def _line_of(error: Exception | SystemExit, path: Path) -> int | str:
    if isinstance(error, SyntaxError):
        return error.lineno or "?"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == str(path)]
    return own[-1] or "?" if own else "?"


def _refuse_doubles(suite: SuiteDefinition, path: Path, problems: Problems) -> None:
    counted = Counter(task.id.casefold() for task in suite.tasks)
    for name, times in counted.items():
        if times > 1:
            problems.add(
                f"{times} tasks have the id {name!r}, and would be scored as one",
                path,
                "give each task an id of its own; upper and lower case do not tell them apart",
            )


def _folder_of(task: TaskDefinition, path: Path) -> Path:
    return path.parent / (task.folder or task.id)


def _start(task: TaskDefinition, path: Path, place: Folder) -> Start | None:
    """Where a task starts, when it names a folder."""
    if task.repo is None:
        return None
    repo = (path.parent / task.repo).resolve()
    if task.source is not None:
        place.problems.add(
            "The task has two starting repositories: `repo` and `source`",
            place.key("source"),
            "keep one of the two",
        )
    elif not repo.is_dir():
        place.problems.add(
            f"The starting repository is not on disk: {task.repo!r}",
            place.key("repo"),
            "give a folder that exists, relative to the module",
        )
    else:
        entries = read_tree(repo, place.problems)
        if not entries:
            place.problems.add(
                "The starting repository is empty",
                place.key("repo"),
                "put the files there that the agent starts from, a README at least",
            )
        return repo, None, entries
    return None, None, ()


def _set_aside(task: LoadedTask, aside: Mapping[str, str]) -> LoadedTask:
    return replace(task, quarantined=aside.get(task.id))
