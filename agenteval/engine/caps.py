"""Limits that an experiment sets for every trial, below those of the tasks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agenteval.records import digest
from agenteval.suite import LoadedTask


def with_caps(tasks: Iterable[LoadedTask], caps: Mapping[str, Any]) -> tuple[LoadedTask, ...]:
    """Tasks whose limits are the lower ones of their own and these.

    A task whose limits change is another task to its agents, and its digests say so.

    Parameters
    ----------
    caps
        Names of a task's limits to their values.
    """
    return tuple(_capped(task, caps) for task in tasks)


def _capped(task: LoadedTask, caps: Mapping[str, Any]) -> LoadedTask:
    changed = {
        name: cap
        for name, cap in caps.items()
        if (own := getattr(task.task, name)) is None or cap < own
    }
    if not changed:
        return task
    told = json.dumps(changed, sort_keys=True)
    return replace(
        task,
        task=task.task.model_copy(update=changed),
        digest=digest(task.digest, "caps", told),
        given_digest=digest(task.given_digest, "caps", told),
    )
