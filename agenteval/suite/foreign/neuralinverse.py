"""neuralinverse task folders: task.json, repo/, hidden/, solution.patch, solution.answer.md.

Its keys are ours in camel case, so a folder runs as it is; only expressions that mean something
else in our multi-line mode are rewritten, and keys that nothing documents are left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agenteval.records.task import ID_PATTERN, Category, Difficulty
from agenteval.suite.foreign.conversion import Conversion, Malformed, fitted
from agenteval.suite.foreign.documents import read_json
from agenteval.suite.foreign.patterns import reads_unicode, single_line
from agenteval.suite.foreign.reading import Reading, task_places

TASK = "task.json"
OTHER_FILES = ("repo", "hidden", "solution.patch", "solution.answer.md")


class NeuralCheck(BaseModel):
    """One check of a task."""

    model_config = ConfigDict(extra="allow", strict=True)

    kind: Literal["command", "file-contains", "answer-contains"]
    run: str | None = None
    expectExit: int | None = None  # noqa: N815 - their spelling
    path: str | None = None
    pattern: str | None = None
    negate: bool | None = None


class NeuralTask(BaseModel):
    """task.json, as its documentation has it."""

    model_config = ConfigDict(extra="allow", strict=True)

    id: str = Field(pattern=ID_PATTERN, max_length=100)
    title: str | None = None
    prompt: str = Field(pattern=r"\S")
    category: Category
    difficulty: Difficulty
    language: str | None = None
    requires: list[str] | None = None
    timeoutMs: float | None = Field(None, gt=0)  # noqa: N815
    maxCostUsd: float | None = Field(None, gt=0)  # noqa: N815
    setup: list[str] | None = None
    checks: list[NeuralCheck] = Field(min_length=1)
    hidden: list[str] | None = None


def read_neuralinverse(path: Path, reading: Reading) -> None:
    """Read one task folder, or a folder of them."""
    for folder in task_places(path, TASK):
        reading.take(folder / TASK, "", lambda folder=folder: _task(folder))  # type: ignore[misc]


def _task(folder: Path) -> Conversion:
    document = read_json(folder / TASK)
    given = fitted(NeuralTask, document)
    if given.id != folder.name:
        raise Malformed("id", f"is {given.id!r}, and the folder is {folder.name!r}")
    if not (folder / "repo").is_dir():
        raise Malformed("repo", "is no folder with the files to start from")
    task = Conversion(given.id, str(folder / TASK), document=False)
    written = {
        key: value for key, value in document.items() if key not in (given.model_extra or {})
    }
    for key in given.model_extra or {}:
        task.dropped(key, "no such key is documented")
    written["checks"] = [
        _check(check, raw, place, task)
        for place, (check, raw) in enumerate(zip(given.checks, document["checks"], strict=True))
    ]
    task.copies = {name: folder / name for name in OTHER_FILES if (folder / name).exists()}
    if written == document:
        task.copies[TASK] = folder / TASK
    else:
        text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
        task.files[TASK] = text.encode()
    for other in sorted(folder.iterdir()):
        if other.name not in (TASK, *OTHER_FILES):
            task.dropped(other.name, "a file that the format has no place for")
    return task


def _check(check: NeuralCheck, raw: dict[str, Any], place: int, task: Conversion) -> dict[str, Any]:
    where = f"checks[{place}]"
    needed = {"command": ("run",), "file-contains": ("path", "pattern"), "answer-contains": ("pattern",)}  # fmt: skip
    for key in needed[check.kind]:
        if not getattr(check, key):
            raise Malformed(f"{where}.{key}", "is missing")
    written = {key: value for key, value in raw.items() if key not in (check.model_extra or {})}
    for key in check.model_extra or {}:
        task.dropped(f"{where}.{key}", "no such key is documented")
    if check.pattern is not None:
        pattern = single_line(
            check.pattern, f"{where}.pattern", answer=check.kind == "answer-contains"
        )
        if pattern != check.pattern:
            task.changed(f"{where}.pattern", f"written as {pattern!r}: checks search in multi-line mode here")  # fmt: skip
        if reads_unicode(pattern):
            task.changed(f"{where}.pattern", "its classes match letters and digits of every script here")  # fmt: skip
        written["pattern"] = pattern
    return written
