"""A task's own file as its author wrote it, to write another from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agenteval.suite.problems import Problems
from agenteval.suite.reading import TASK_FILES, find_file
from agenteval.suite.syntax import read_document


def task_document(folder: Path) -> dict[str, Any]:
    """Keys of a task's task.toml or task.json, not merged with its suite's defaults.

    Raises
    ------
    TaskError
        When it cannot be read.
    """
    problems = Problems()
    file = find_file(folder, TASK_FILES, problems)
    document = read_document(file, problems) if file else None
    problems.raise_if_any(folder)
    return document or {}
