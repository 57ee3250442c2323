"""Writing a drafted task: the parent's files, the commit's tests hidden, the rest as reference."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.checks.recorded_run import COMMANDS
from agenteval.engine.authoring.history import History
from agenteval.engine.authoring.proving import Proof
from agenteval.suite import Runner, detect_project, looks_like_test, write_recorded
from agenteval.suite.authoring import (
    CommitChange,
    Split,
    category_of,
    difficulty_of,
    is_test_file,
    prompt_of,
    task_toml,
)

HIDDEN, SUITE = "hidden-tests", "existing-tests"
BARE_PYTEST = (
    "{python} -m pytest -q --tb=short -p no:cacheprovider --rootdir=. --maxfail=0 "
    "-o addopts={kept} {more}--continue-on-collection-errors --junitxml={{junit}} {{files}}"
)
_PYTEST_FILES = ("pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
PYTHON, VENV_PYTHON = "python3", ".venv/bin/python"
DRAFT = "draft"
# code before its fix may loop and allocate without end
TIMEOUT_S, MEMORY_MB = 120.0, 2048
MOST_TEST_FILES = 40
Keys = dict[str, str | int | float | bool | Sequence[str]]


@dataclass(frozen=True)
class Wanted:
    """How commits are to be made into tasks.

    Attributes
    ----------
    tests
        Globs of the project's test files; by name and folder when there are none.
    issue
        Text of the issue that the commit closes.
    task_id
        Id of the task; made of the commit's subject when None.
    setup
        Shell command that installs what the project depends on, run once with the network.
    runner
        Shell command that runs the tests, with `{files}` and `{junit}` in it; empty for pytest or
        `node --test`, by the files' endings.
    repeat
        Times that the tests run, before and after.
    timeout_s
        Longest time for one run of the hidden tests, and of the project's own.
    """

    tests: tuple[str, ...] = ()
    issue: str = ""
    task_id: str | None = None
    setup: str = ""
    runner: str = ""
    repeat: int = 3
    timeout_s: float = TIMEOUT_S


@dataclass(frozen=True)
class Way:
    """How the tests of a draft are run.

    Attributes
    ----------
    runner
        Program that runs them.
    command
        `run` of the checks; empty for the default.
    with_suite
        Whether the project's other tests are run too.
    """

    runner: Runner
    command: str = ""
    with_suite: bool = True


def write_draft(
    folder: Path, history: History, change: CommitChange, split: Split, wanted: Wanted
) -> None:
    """Write all of a draft but its task.toml into an empty folder."""
    history.lay_out(change.parents[0], folder / "repo")
    for file in split.hidden:
        path = folder / "hidden" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(history.contents(change.sha, file.path))
    (folder / "solution.patch").write_bytes(history.diff(change, split.reference))
    (folder / "prompt.md").write_text(prompt_of(change, wanted.issue), encoding="utf-8")


def write_task_toml(
    folder: Path,
    task_id: str,
    change: CommitChange,
    split: Split,
    wanted: Wanted,
    way: Way,
    *,
    ignored: Sequence[str] = (),
) -> None:
    """Write the task.toml of a draft."""
    project = detect_project(folder / "repo")
    keys: Keys = {
        "id": task_id,
        "title": change.subject[:100],
        "category": category_of(change, split),
        "difficulty": difficulty_of(split),
        "language": _language(split, way),
        "tags": [DRAFT],
        "tests": own_tests(folder / "repo", split, wanted.tests) if way.with_suite else [],
        "memory_mb": MEMORY_MB,
    }
    run: Keys = {"run": way.command} if way.command else {}
    run["timeout_s"] = wanted.timeout_s
    checks: list[Keys] = [{"name": HIDDEN, "kind": "hidden-tests", **run, "weight": 3}]
    if not all(map(looks_like_test, split.runnable)):
        checks[0]["files"] = list(split.runnable)
    if ignored:
        checks[0]["ignored"] = list(ignored)
    if way.with_suite:
        checks.append({"name": SUITE, "kind": "suite", **run})
    env = {} if way.runner == "node" else _python_env(folder / "repo")
    build: Keys = {}
    if wanted.setup:
        build = {"build": [wanted.setup], "network": True}
        if project.keys:
            build["key"] = list(project.keys)
    text = task_toml(
        keys,
        checks,
        tables={"env": env, "environment": build},
        comments={
            "category": "a guess, by the commit's message",
            "difficulty": "a guess, by the size of the fix",
            "tags": "take the tag away when prompt and labels are yours",
        },
    )
    (folder / "task.toml").write_text(text, encoding="utf-8")


def _language(split: Split, way: Way) -> str:
    if way.runner == "pytest":
        return "python"
    typed = any(Path(file.path).suffix in (".ts", ".mts", ".cts", ".tsx") for file in split.source)
    return "typescript" if typed else "javascript"


def _python_env(repo: Path) -> dict[str, str]:
    """Variables that make a project's tests run as they lie there, installed or not."""
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    source = repo / "src"
    if source.is_dir() and any(source.glob("*/__init__.py")):
        env["PYTHONPATH"] = "src"
    return env


def pytest_commands(repo: Path, python: str) -> list[str]:
    """Commands that run a project's tests, to be tried in turn; empty for that of the checks.

    After the one with all of its settings come one without its own options, which may name plugins
    that are not loaded here, and one without its conftest.py: one for an old pytest may end every run.

    Parameters
    ----------
    python
        Program that runs pytest.
    """
    own = "" if python == PYTHON else COMMANDS["pytest"].replace(PYTHON, python, 1)
    return [own, _bare(repo, python), _bare(repo, python, "--noconftest ")]


def _bare(repo: Path, python: str, more: str = "") -> str:
    texts = (
        path.read_text("utf-8", "replace")
        for name in _PYTEST_FILES
        if (path := repo / name).is_file()
    )
    modes = (re.search(r"--import-mode[= ](\w+)", text) for text in texts)
    kept = next((f"--import-mode={found[1]}" for found in modes if found), "")
    return BARE_PYTEST.format(python=python, kept=kept, more=more)


def own_tests(repo: Path, split: Split, globs: Sequence[str] = ()) -> list[str]:
    """Globs of the project's tests that belong to the hidden ones: of the same test folder.

    Where that holds many files, only those beside the hidden ones: a whole suite may take long.
    """
    if globs:
        return list(globs)
    tops = {_test_folder(path) for path in split.runnable}
    count = sum(1 for top in tops for path in (repo / top).rglob("*") if looks_like_test(path.name))
    folders = {Path(path).parent.as_posix() for path in split.runnable}
    found: set[str] = set()
    for folder in folders if count > MOST_TEST_FILES else tops:
        if folder == ".":
            found |= {path.name for path in repo.iterdir() if is_test_file(path.name)}
        else:
            found.add(f"{folder}/**")
    return sorted(found)


def _test_folder(path: str) -> str:
    """The topmost folder above a test file that is one of tests; its own folder if none is."""
    parts = Path(path).parts
    tops = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return next((top for top in tops if is_test_file(f"{top}/x")), Path(path).parent.as_posix())


def write_proof(folder: Path, change: CommitChange, wanted: Wanted, proof: Proof) -> None:
    """Write what was found: ids into tests.json, the lists and where they are from into origin.json."""
    recorded: dict[str, Sequence[str]] = {HIDDEN: proof.hidden}
    if proof.suite:
        recorded[SUITE] = proof.suite
    write_recorded(folder, recorded)
    origin: Mapping[str, object] = {
        "commit": change.sha,
        "parent": change.parents[0],
        "date": change.date,
        "subject": change.subject,
        "repeat": wanted.repeat,
        "fail_to_pass": list(proof.fail_to_pass),
        "pass_to_pass": list(proof.pass_to_pass),
        "dropped": dict(proof.dropped),
    }
    text = json.dumps(origin, indent=1, ensure_ascii=False)
    (folder / "origin.json").write_text(text + "\n", encoding="utf-8")


def narrowed(way: Way) -> Way:
    """The same without the project's other tests."""
    return replace(way, with_suite=False)
