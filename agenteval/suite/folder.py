"""One task's folder while it is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agenteval.suite.problems import Problems, shown
from agenteval.suite.tree import leads_inside


@dataclass(frozen=True)
class Folder:
    """A task's folder, its file and where problems go.

    Attributes
    ----------
    path
        Folder of the task.
    file
        Its task.toml or task.json.
    problems
        Where what is wrong is noted.
    """

    path: Path
    file: Path
    problems: Problems

    def key(self, name: str) -> str:
        """Where a key of the task is."""
        return f"{shown(self.file)}, key {name}"

    def owned(self, name: str) -> Path | None:
        """Path of something in the folder; None when it is absent or a link leads outside."""
        path = self.path / name
        if path.exists() and not leads_inside(path, self.path):
            self.problems.add(
                f"{name} is a symbolic link that leaves the task folder",
                path,
                "replace it by a copy",
            )
            return None
        return path if path.exists() else None
