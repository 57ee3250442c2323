"""A shell harness: config.sh with a project's commands, tasks/ with a prompt and hidden tests each.

Its score is the exit code of two commands, so that is what the checks ask. There is no reference
solution in it; with one, checks of kind `hidden-tests` and `suite` prove more.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agenteval.records.strict import inside
from agenteval.records.task import ID_PATTERN
from agenteval.suite.foreign.conversion import Clone, Conversion, Malformed
from agenteval.suite.foreign.documents import read_text
from agenteval.suite.foreign.reading import Reading
from agenteval.suite.foreign.shell_values import ShellValues, shell_values
from agenteval.suite.project.detect import detect_project

CONFIG, TASKS, PROMPT, TESTS = "config.sh", "tasks", "prompt.md", "tests"
CHECK_TIMEOUT_S = 600.0  # theirs has no limit
KNOWN = ("PROJECT_DIR", "SETUP_CMD", "TEST_CMD", "TESTS_DIR", "HIDDEN_TESTS_DIR", "HIDDEN_TEST_CMD", "LINT_CMD", "LINT_FILES", "PROTECTED_PATHS")  # fmt: skip
_FOLDER = re.compile(r"\^([\w./-]+)/")
_FILE = re.compile(r"\^((?:[\w/-]|\\\.)+)\$")
_PROJECT = re.compile(r"\$\{?PROJECT\b")
_GLOB = re.compile(r"([*?\[\]])")


@dataclass(frozen=True)
class Project:
    """What config.sh says, and the project it is about."""

    config: ShellValues
    folder: Path
    clone: Clone
    commit: str

    def value(self, name: str) -> str:
        """One value; empty when it is not set."""
        return self.config.values.get(name, "").strip()


def read_shell_harness(path: Path, reading: Reading) -> None:
    """Read a folder that holds config.sh and tasks/."""
    folder = path.parent if path.name == CONFIG else path
    file = folder / CONFIG
    try:
        project = _project(file, reading)
    except Malformed as problem:
        reading.bad(file, "", problem)
        return
    tasks = folder / TASKS
    places = sorted(p for p in tasks.iterdir() if p.is_dir()) if tasks.is_dir() else []
    for place in places:
        if (place / PROMPT).exists() or (place / TESTS).exists():
            reading.take(place, "", lambda place=place: _task(place, project, reading))  # type: ignore[misc]


def _project(file: Path, reading: Reading) -> Project:
    config = shell_values(read_text(file))
    for name in ("PROJECT_DIR", "HIDDEN_TESTS_DIR", "HIDDEN_TEST_CMD"):
        if not config.values.get(name, "").strip():
            raise Malformed(name, "is empty or missing")
    for name in ("HIDDEN_TESTS_DIR", "TESTS_DIR"):
        try:
            inside(config.values.get(name, ""))
        except ValueError as error:
            raise Malformed(name, str(error)) from None
    folder = (file.parent / config.values["PROJECT_DIR"].strip()).resolve()
    if not folder.is_dir():
        raise Malformed("PROJECT_DIR", f"is no folder: {folder}")
    clone = reading.clones(folder)
    return Project(config, folder, clone, clone.name_of("HEAD"))


def _task(place: Path, project: Project, reading: Reading) -> Conversion:
    if not re.fullmatch(ID_PATTERN, place.name):
        raise Malformed("(folder)", f"cannot be an id: {place.name!r}")
    prompt = read_text(place / PROMPT).strip()
    if not prompt:
        raise Malformed(PROMPT, "is empty")
    tests = place / TESTS
    if not tests.is_dir() or not any(path.is_file() for path in tests.rglob("*")):
        raise Malformed(TESTS, "holds no hidden tests")
    found = detect_project(project.folder)
    task = Conversion(place.name, str(place))
    task.keys = {
        "id": place.name,
        "title": place.name.replace("-", " "),
        "language": found.language,
    }
    task.changed("category", "the format has none: every task is a bugfix of medium difficulty until you say otherwise")  # fmt: skip
    task.tables["source"] = {
        "git": os.path.relpath(project.folder, reading.target.resolve()),
        "rev": project.commit,
    }
    task.changed("PROJECT_DIR", "its commit of today is the start; the harness clones whatever is committed when it runs")  # fmt: skip
    task.files[PROMPT] = prompt.encode() + b"\n"
    task.copies[str(PurePosixPath("hidden", project.value("HIDDEN_TESTS_DIR")))] = tests
    _setup(task, project, found.keys)
    _checks(task, project)
    _protected(task, project)
    for name in ("SETUP_CMD", "TEST_CMD", "HIDDEN_TEST_CMD", "LINT_CMD"):
        if _PROJECT.search(project.value(name)):
            task.skip(name, "reads $PROJECT, the original project, which no sandbox shows: put what it copies into the repository or write the command anew, then delete `skip`")  # fmt: skip
    _rest(task, project)
    return task


def _setup(task: Conversion, project: Project, keys: tuple[str, ...]) -> None:
    command = project.value("SETUP_CMD")
    if command:
        task.tables["environment"] = {"build": [command], "network": True, "key": list(keys)}
        task.changed("SETUP_CMD", "built once and cached, with the network; agent and checks are offline")  # fmt: skip


def _checks(task: Conversion, project: Project) -> None:
    hidden = {"kind": "command", "name": "hidden-tests", "run": project.value("HIDDEN_TEST_CMD")}
    task.checks.append({**hidden, "timeout_s": CHECK_TIMEOUT_S})
    task.changed("HIDDEN_TEST_CMD", f"an exit code, as there, within {CHECK_TIMEOUT_S:g} s; with a reference solution a check of kind hidden-tests proves more")  # fmt: skip
    if project.value("TEST_CMD"):
        own = {"kind": "command", "name": "suite", "run": project.value("TEST_CMD")}
        task.checks.append({**own, "timeout_s": CHECK_TIMEOUT_S})
        task.changed("TEST_CMD", "the hidden tests lie in the copy by then, so they may run a second time")  # fmt: skip
        _put_back(task, project)
    if project.value("LINT_CMD"):
        _pattern(project.value("LINT_FILES"), "LINT_FILES")
        lint = {"kind": "lint", "name": "lint", "run": project.value("LINT_CMD")}
        task.checks.append({**lint, "files": project.value("LINT_FILES")} if project.value("LINT_FILES") else {**lint})  # fmt: skip


def _put_back(task: Conversion, project: Project) -> None:
    """Have the project's own test files laid over the result, as they are at its commit."""
    folder = project.value("TESTS_DIR").strip("/")
    if not folder:
        return
    own = [path for path in project.clone.paths(project.commit) if path.startswith(f"{folder}/")]
    if not own:
        raise Malformed("TESTS_DIR", f"holds no file at the project's commit: {folder!r}")
    task.keys["tests"] = [f"{folder}/**"]
    for path in own:
        task.files[f"hidden/{path}"] = project.clone.contents(project.commit, path)
    task.changed("TESTS_DIR", f"{len(own)} files of it lie in hidden/ too, so that they are put back before the checks")  # fmt: skip


def _protected(task: Conversion, project: Project) -> None:
    wanted = project.value("PROTECTED_PATHS")
    if not wanted:
        return
    parts = [_glob(part) for part in wanted.split("|")]
    if all(part is not None for part in parts):
        task.keys["protected"] = [part for part in parts if part is not None]
        return
    pattern = _pattern(wanted, "PROTECTED_PATHS")
    paths = [path for path in project.clone.paths(project.commit) if pattern.search(path)]
    task.keys["protected"] = [_GLOB.sub(r"[\1]", path) for path in paths]
    task.changed("PROTECTED_PATHS", f"an expression that globs cannot say: the {len(paths)} files that match it at the commit")  # fmt: skip


def _glob(part: str) -> str | None:
    folder, file = _FOLDER.fullmatch(part), _FILE.fullmatch(part)
    if folder is not None and "." not in folder[1]:
        return f"{folder[1]}/**"
    return file[1].replace("\\.", ".") if file is not None else None


def _pattern(text: str, name: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Malformed(name, f"is no regular expression in Python: {error}") from None


def _rest(task: Conversion, project: Project) -> None:
    for name in project.config.values:
        if name not in KNOWN:
            task.dropped(name, "no such value is known")
    for line in project.config.foreign:
        task.dropped(
            f"{CONFIG}, line {line}", "it is no assignment, and the file is never executed"
        )
