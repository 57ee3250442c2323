"""A failure that was seen in a run made into a task of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agenteval.engine.authoring.drafting import DRAFT
from agenteval.errors import InvalidInput
from agenteval.suite import LoadedTask, load_suite
from agenteval.suite.authoring import FILL_IN, check_new, place_task, task_document

OBSERVED = "observed"
_LEFT_OUT = frozenset({"task.toml", "task.json", "notes.md", "origin.json", ".git"})


@dataclass(frozen=True)
class Failure:
    """What was seen.

    Attributes
    ----------
    run_id, trial_id, arm
        Where, and of whom.
    outcome
        What came of the trial, in a line.
    failing
        Name of each failing check, and what it said.
    patch
        What the agent changed; empty when nothing.
    answer
        Its last words.
    task_digest
        The task's digest when it ran.
    """

    run_id: str
    trial_id: str
    arm: str
    outcome: str
    failing: Sequence[tuple[str, str]]
    patch: bytes
    answer: str
    task_digest: str


@dataclass(frozen=True)
class Derived:
    """The new task.

    Attributes
    ----------
    folder
        Where it lies.
    missing
        What its author must still decide and write.
    """

    folder: Path
    missing: tuple[str, ...]


def from_failure(
    task: LoadedTask, failure: Failure, task_id: str, *, into: Path | None = None
) -> Derived:
    """Write a task like the one that was failed; the agent's change is one of its wrong solutions.

    Start, prompt and grading are the same, to be narrowed to what went wrong.

    Parameters
    ----------
    task
        The one that was failed, of a suite that is a folder.
    task_id
        Id of the new one.
    into
        Folder of the suite that it goes into; that of the one that was failed when left out.

    Raises
    ------
    InvalidInput
        When the id is taken; nothing is written then.
    TaskError
        When the copy does not load.
    """
    suite = into or task.folder.parent
    check_new(suite, task_id)
    patch = failure.patch if failure.patch.strip() else b""
    answered = task.solution_answer is not None or any(
        "answer" in check.sources for check in task.task.checks
    )
    answer = failure.answer if answered else ""

    def fill(folder: Path) -> None:
        shutil.copytree(task.folder, folder, symlinks=True, ignore=_ignored(task.folder), dirs_exist_ok=True)  # fmt: skip
        (folder / "wrong").mkdir(exist_ok=True)
        if patch:
            (folder / "wrong" / f"{OBSERVED}.patch").write_bytes(patch)
        if answer:
            (folder / "wrong" / f"{OBSERVED}.answer.md").write_text(answer, encoding="utf-8")
        document = task_document(task.folder) | {"id": task_id}
        document["tags"] = [*document.get("tags", []), DRAFT]
        if into is not None:
            document["env"] = dict(task.task.env)  # its suite's defaults stay behind
        document["title"] = f"{FILL_IN}: what went wrong in {task.id}"
        text = json.dumps(document, indent=2, ensure_ascii=False, default=str)
        (folder / "task.json").write_text(text + "\n", encoding="utf-8")
        notes = _notes(task, failure, has_patch=bool(patch))
        (folder / "notes.md").write_text(notes, encoding="utf-8")

    folder = place_task(suite, task_id, fill)
    load_suite(folder, unrecorded=True)
    return Derived(folder, _missing(task, failure, has_patch=bool(patch or answer)))


def _ignored(top: Path) -> Any:
    def ignored(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if Path(folder) == top and name in _LEFT_OUT}

    return ignored


def _notes(task: LoadedTask, failure: Failure, *, has_patch: bool) -> str:
    told = [f"- `{name}`: {' '.join(detail.split())[:300]}" for name, detail in failure.failing]
    change = (
        f"What the agent changed is wrong/{OBSERVED}.patch: the checks must fail it."
        if has_patch
        else "The agent changed nothing."
    )
    lines = [
        "# For maintainers",
        "",
        f"Seen in trial {failure.trial_id} of run {failure.run_id}, by {failure.arm}, on the task {task.id}: {failure.outcome}.",
        "",
        *(told or ["- no check said why"]),
        "",
        change,
        "",
        "## What its author must decide",
        "",
        *(f"- {line}" for line in _missing(task, failure, has_patch=has_patch)),
    ]
    return "\n".join(lines) + "\n"


def _missing(task: LoadedTask, failure: Failure, *, has_patch: bool) -> tuple[str, ...]:
    gaps = {
        "whose fault it was: read the change and the failing checks first; a check that asks for what the prompt leaves open, or a broken environment, is no failure of the agent": True,
        "what exactly went wrong, as a title in task.json": True,
        f"prompt.md: it is that of {task.id}; narrow it to what went wrong, as you would have typed it": True,
        "hidden/: a test that would have caught exactly this, and the checks that are not about it taken out": True,
        "solution.patch: there is no reference yet (`agenteval task solve` writes one)": task.solution_patch is None and task.solution_answer is None,
        f"wrong/{OBSERVED}.patch: there is none, since the agent changed nothing": not has_patch,
        f"the task is no longer what it was in that run (digest {failure.task_digest}, now {task.digest}): whether the change still applies": failure.task_digest != task.digest,
        "then `agenteval validate`, and the tag `draft` taken away": True,
    }  # fmt: skip
    return tuple(gap for gap, open_ in gaps.items() if open_)


def newer_id(suite: Path, task: str) -> str:
    """An id for a task made of a failure of another: the first that is free."""
    number, name = 1, f"{task}-seen"
    while (suite / name).exists():
        number += 1
        name = f"{task}-seen-{number}"
    return name


def refuse_success(failure_passed: bool | None, trial: str) -> None:  # noqa: FBT001 - a cell of a table
    """Refuse a trial that is no failure of an agent.

    Raises
    ------
    InvalidInput
        For one that passed, or that does not count.
    """
    if failure_passed is False:
        return
    what = "passed" if failure_passed else "does not count: its machinery failed, or it never ran"
    raise InvalidInput(
        f"Trial {trial} {what}, so there is no failure to make a task of",
        "agenteval task from-failure",
        "name a trial with passed = false; `agenteval sql 'select trial_id, task_id from trials where not passed'` lists them",
    )
