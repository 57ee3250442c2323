"""What the format has and this version does not carry out: read and ignored it would be a silent lie."""

from __future__ import annotations

import re

from agenteval.records import Task
from agenteval.suite.problems import Problems

_URL = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+://|[^/\s]+@[^/\s]+:|[^/.\s][^/\s]*:[^/])")


def is_network_url(git: str) -> bool:
    """Whether a `source.git` names a repository on another machine (`file://` is none).

    >>> [is_network_url(git) for git in ("https://x.org/a.git", "git@x.org:a.git", "../shop", "/srv/shop")]
    [True, True, False, False]
    """
    return bool(_URL.match(git)) and not git.startswith("file://")


def refuse_unsupported(task: Task, file: str, problems: Problems) -> None:
    """Note a problem for what a task asks for and nothing carries out."""
    if task.source and is_network_url(task.source.git):
        problems.add(
            "A `source` on another machine is not supported by this version",
            f"{file}, key source.git",
            "clone it beside the suite and give the path of the clone",
        )
