"""SWE-bench rows: a JSON line a task, with a base commit, a fix, a test patch and two lists of test ids.

The rows name a repository on the web; here it is a clone on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from agenteval.errors import AgentEvalError
from agenteval.records.task import ID_PATTERN
from agenteval.suite.foreign.conversion import Conversion, Malformed, fitted
from agenteval.suite.foreign.documents import json_of, lines_of
from agenteval.suite.foreign.pytest_ids import by_file, is_pytest_id, recorded_text
from agenteval.suite.foreign.reading import Reading
from agenteval.suite.recorded import RECORDED
from agenteval.suite.runners import runner_of

T = TypeVar("T")
HIDDEN, OWN = "hidden-tests", "suite"
PASS, FAIL = "PASS_TO_PASS", "FAIL_TO_PASS"
_WHY = {
    "hints_text": "it was written after the fix was known",
    "version": "it names an image of the benchmark's own",
    "environment_setup_commit": "it names an image of the benchmark's own",
    "created_at": "it has no place here",
}


class Row(BaseModel):
    """One line."""

    model_config = ConfigDict(extra="allow", strict=True)

    instance_id: str = Field(pattern=ID_PATTERN, max_length=100)
    repo: str = Field(min_length=1)
    base_commit: str = Field(pattern=r"^[0-9a-f]{7,64}$")
    problem_statement: str = Field(pattern=r"\S")
    patch: str = Field(pattern=r"\S")
    test_patch: str = Field(pattern=r"\S")
    FAIL_TO_PASS: list[str] | str
    PASS_TO_PASS: list[str] | str = Field(default_factory=list)


def read_swe_bench(path: Path, reading: Reading) -> None:
    """Read a file of rows, or the .jsonl files of a folder."""
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    for file in files:
        try:
            lines = list(lines_of(file))
        except Malformed as problem:
            reading.bad(file, "", problem)
            continue
        for number, line in lines:
            reading.take(
                file,
                f"line {number}",
                lambda line=line, file=file, number=number: _task(line, file, number, reading),  # type: ignore[misc]
            )


def _task(line: str, file: Path, number: int, reading: Reading) -> Conversion:
    row = fitted(Row, json_of(line, "(line)"))
    repo = _clone_of(row.repo, file, reading)
    clone = _said("repo", lambda: reading.clones(repo))
    commit = _said("base_commit", lambda: clone.name_of(row.base_commit))
    tests = _said("test_patch", lambda: clone.patched(commit, _ended(row.test_patch)))
    _said("patch", lambda: clone.patched(commit, _ended(row.patch)))
    task = Conversion(row.instance_id, f"{file}, line {number}")
    task.keys = {"id": row.instance_id, "title": f"{row.repo}: {row.instance_id}"}
    task.tables["source"] = {
        "git": os.path.relpath(repo.resolve(), reading.target.resolve()),
        "rev": commit,
    }
    task.changed("category", "the format has none: every task is a bugfix of medium difficulty until you say otherwise")  # fmt: skip
    task.files["prompt.md"] = row.problem_statement.strip().encode() + b"\n"
    task.files["solution.patch"] = _ended(row.patch)
    _checks(task, row, _hidden(task, tests))
    task.changed("environment", "the benchmark's images are not used: say how its dependencies are installed in [environment] build")  # fmt: skip
    for key in row.model_extra or {}:
        task.dropped(key, _WHY.get(key, "no such key is known"))
    return task


def _said(field: str, call: Callable[[], T]) -> T:
    """What comes of asking a repository; its refusal is the field's fault."""
    try:
        return call()
    except AgentEvalError as error:
        raise Malformed(field, f"cannot be used: {error.what}") from None


def _hidden(task: Conversion, changed: Mapping[str, bytes | None]) -> list[str]:
    hidden = []
    for path, contents in changed.items():
        if contents is None:
            task.dropped(
                "test_patch", f"its deletion of {path}: hidden files can only be laid over"
            )
            continue
        task.files[f"hidden/{path}"] = contents
        hidden.append(path)
    if not hidden:
        raise Malformed("test_patch", "adds or changes no file")
    return hidden


def _checks(task: Conversion, row: Row, hidden: Iterable[str]) -> None:
    failing, passing = _ids(row.FAIL_TO_PASS, FAIL), _ids(row.PASS_TO_PASS, PASS)
    if not failing:
        raise Malformed(FAIL, "is empty, so nothing tells a fix from none")
    tests = [path for path in hidden if runner_of(path) == "pytest"]
    ids = [*failing, *passing]
    foreign = next((test for test in ids if not is_pytest_id(test)), None)
    if foreign is not None:
        _by_exit_code(task, tests, foreign)
        return
    files = by_file(ids)
    beside = sorted({path for path in by_file(failing) if path not in tests})
    if beside:
        raise Malformed(FAIL, f"names tests of {beside[0]}, which test_patch does not change")
    own = sorted(path for path in files if path not in tests)
    named = [path for path in tests if path in files]
    recorded = {HIDDEN: [test for path in named for test in files[path]]}
    task.checks = [{"kind": HIDDEN, "name": HIDDEN, "files": named}]
    if own:
        task.keys["tests"] = own
        task.checks.append({"kind": OWN, "name": OWN})
        recorded[OWN] = [test for path in own for test in files[path]]
    task.keys["language"] = "python"
    task.files[RECORDED] = recorded_text(recorded)
    task.changed(f"{FAIL}, {PASS}", "recorded ids: a hidden test that is in neither list fails the check; `agenteval validate --record` takes them anew from the reference")  # fmt: skip


def _by_exit_code(task: Conversion, tests: list[str], foreign: str) -> None:
    if not tests:
        raise Malformed(FAIL, f"holds no pytest ids ({foreign!r}), and test_patch no Python tests")
    files = " ".join(re.sub(r"[^\w./-]", lambda found: "\\" + found[0], path) for path in tests)
    task.checks = [{"kind": "command", "name": HIDDEN, "run": f"python3 -m pytest -q -p no:cacheprovider {files}"}]  # fmt: skip
    task.changed(f"{FAIL}, {PASS}", f"no pytest ids ({foreign!r}): pytest's exit code on the changed test files decides")  # fmt: skip


def _ids(value: list[str] | str, name: str) -> list[str]:
    """The list, or the list that its text is in JSON."""
    listed = json_of(value, name) if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) and each for each in listed):
        raise Malformed(name, "is no list of texts")
    return list(dict.fromkeys(listed))


def _clone_of(repo: str, file: Path, reading: Reading) -> Path:
    """Where a row's repository is on this machine."""
    owner, _, name = repo.rpartition("/")
    top = reading.repo
    places = [file.parent / repo] if top is None else [top / f"{owner}__{name}", top / repo, top / name, top]  # fmt: skip
    for place in places:
        if (place / ".git").exists() or (place / "HEAD").is_file():
            return place
    raise Malformed("repo", f"is {repo!r}, and no clone of it is at {places[0]}; name its folder with --repo")  # fmt: skip


def _ended(patch: str) -> bytes:
    return (patch if patch.endswith("\n") else patch + "\n").encode("utf-8", "surrogatepass")
