"""The digest of a task: two results may be compared only when it is the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agenteval.records import Task, digest
from agenteval.suite.tree import Entry

FORMAT = "task-1"
GRADING = frozenset({"checks", "hidden", "tests", "protected", "pass_policy", "on_judge_error"})
LABELS = frozenset(
    {"title", "tags", "category", "difficulty", "language", "covers", "split", "skip", "prompt"}
)


def task_digest(
    task: Task,
    prompt: str,
    repo: Iterable[Entry],
    hidden: Iterable[Entry],
    recorded: Mapping[str, Iterable[str]] | None = None,
    environment: Iterable[Entry] = (),
) -> str:
    """Hash everything that decides a task's outcome.

    That is the merged task, the prompt, the recorded test ids, and the paths, modes, contents
    and link targets of the starting repository, of the hidden files and of environment/. Labels (title, tags, category, ...), the
    reference and the wrong solutions are left out, and so is everything that differs from
    machine to machine: times, owners, where the suite lies. A starting commit counts by its
    `rev`, wherever the repository is.

    Returns
    -------
    str
        16 hex digits.
    """
    parts = [_deciding(task), prompt, "repo", *_parts(repo), "hidden", *_parts(hidden)]
    if recorded:
        ids = {name: sorted(ids) for name, ids in recorded.items()}
        parts += ["tests", json.dumps(ids, sort_keys=True, ensure_ascii=False)]
    files = [*_parts(environment)]
    if files:
        parts += ["environment", *files]
    return digest(FORMAT, *parts)


def given_digest(
    task: Task, prompt: str, repo: Iterable[Entry], environment: Iterable[Entry] = ()
) -> str:
    """Hash what an agent is given: prompt, starting files, setup, limits; not how it is graded.

    When only this stays the same, a stored patch can be graded again as a result of the task as it
    is now.
    """
    fields = _fields(task, LABELS | GRADING)
    whole = json.dumps(fields, sort_keys=True, ensure_ascii=False)
    parts = [whole, prompt, "repo", *_parts(repo), "environment", *_parts(environment)]
    return digest("given-1", *parts)


def _deciding(task: Task) -> str:
    fields = _fields(task, LABELS)
    fields["checks"] = [
        check.model_dump(mode="json", exclude_defaults=True) | {"kind": check.kind}
        for check in task.checks
    ]
    return json.dumps(fields, sort_keys=True, ensure_ascii=False)


def _fields(task: Task, left_out: frozenset[str]) -> dict[str, Any]:
    # keys at their default are left out: a key that a later version adds changes no digest
    fields: dict[str, Any] = task.model_dump(
        mode="json", exclude=set(left_out), exclude_defaults=True
    )
    if task.source:
        fields["source"] = task.source.rev
    return fields


def _parts(entries: Iterable[Entry]) -> Iterable[str | bytes]:
    for entry in entries:
        yield entry.path.encode("utf-8", "surrogateescape")
        yield entry.mode
        yield entry.sha256
