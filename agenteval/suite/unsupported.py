"""Keys that the format has and this version does not carry out yet.

A key that is read and then ignored would be a silent lie, so each one is refused. Remove
an entry here when the engine learns to honour it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agenteval.records import Task, TaskDefaults
from agenteval.suite.problems import Problems


@dataclass(frozen=True)
class NotYet:
    """A key, the values of it that are not carried out, and how to live without them."""

    key: str
    refused: Callable[[Any], bool]
    fix: str


_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+://|[^/\s]+@[^/\s]+:|[^/.\s][^/\s]*:[^/])")


def is_network_url(git: str) -> bool:
    """Whether a `source.git` names a repository on another machine (`file://` is none).

    >>> [is_network_url(git) for git in ("https://x.org/a.git", "git@x.org:a.git", "../shop", "/srv/shop")]
    [True, True, False, False]
    """
    return bool(_URL.match(git)) and not git.startswith("file://")


def _set(value: Any) -> bool:
    return value is not None


NOT_YET: tuple[NotYet, ...] = (
    NotYet("stop_gate", _set, "remove it, or let a check run the command"),
    NotYet("kind", lambda kind: kind != "task", 'use kind = "task"'),
)


def refuse_unsupported(task: TaskDefaults, file: str, problems: Problems, prefix: str = "") -> None:
    """Note a problem for every key of a task, or of a suite's defaults, that is not carried out."""
    for entry in NOT_YET:
        value = getattr(task, entry.key)
        if entry.key in task.model_fields_set and entry.refused(value):
            shown = f"{entry.key} = {value!r}" if isinstance(value, str) else entry.key
            problems.add(
                f"`{shown}` is not supported by this version",
                f"{file}, key {prefix}{entry.key}",
                entry.fix,
            )
    if isinstance(task, Task) and task.source and is_network_url(task.source.git):
        problems.add(
            "A `source` on another machine is not supported by this version",
            f"{file}, key source.git",
            "clone it beside the suite and give the path of the clone",
        )
