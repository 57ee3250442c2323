"""Which tasks were validated as they are now, so that an unchanged one is not validated again."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agenteval import __version__
from agenteval.records import digest, replace_file
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask

RULES = "a solution that cannot be carried out proves nothing"


@dataclass(frozen=True)
class Validated:
    """What a file remembers.

    Attributes
    ----------
    path
        The file; it may be missing, and one that cannot be read remembers nothing.
    known
        Key of a task (`validation_key`) to the times that each solution was tried.
    """

    path: Path
    known: Mapping[str, int] = field(default_factory=dict)

    def holds(self, key: str, repeat: int) -> bool:
        """Whether a task was validated with at least so many tries of each solution."""
        return self.known.get(key, 0) >= repeat

    def with_tasks(self, keys: Iterable[str], repeat: int) -> Validated:
        """The same and these tasks, written to the file."""
        known = {**self.known, **{key: max(repeat, self.known.get(key, 0)) for key in keys}}
        document = {"updated": datetime.now(UTC).isoformat(), "validated": known}
        replace_file(self.path, json.dumps(document, indent=1).encode() + b"\n")
        return Validated(self.path, known)


def read_validated(path: Path) -> Validated:
    """Read what was remembered."""
    try:
        document = json.loads(path.read_text("utf-8"))
        known = document["validated"]
        return Validated(path, {str(key): int(times) for key, times in known.items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Validated(path)


def validation_key(task: LoadedTask, sandbox: Sandbox) -> str:
    """Hash of all that validation depends on: the task, its solutions, sandbox, Python and this program."""
    files = [task.solution_patch, task.solution_answer]
    for wrong in task.wrong:
        files += [wrong.patch, wrong.answer]
    parts: list[str | bytes] = [task.id, task.digest, sandbox.identity]
    parts += [RULES, __version__, platform.python_version()]
    for path in files:
        parts += ["none"] if path is None else [path.name, path.read_bytes()]
    return digest(*parts)
