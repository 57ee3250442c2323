"""A suite that was read: its tasks, merged with its defaults, and where their files lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.records import Dimension, JudgeSettings, Suite, Task


@dataclass(frozen=True)
class Wrong:
    """A plausible wrong solution, which the checks must fail.

    Attributes
    ----------
    name
        File name without its ending.
    patch
        A git diff against the starting repository, or None.
    answer
        A file with a wrong answer, or None.
    """

    name: str
    patch: Path | None = None
    answer: Path | None = None


@dataclass(frozen=True)
class LoadedTask:
    """One task, ready to be planned.

    Attributes
    ----------
    task
        What its author wrote, merged with the suite's defaults; every check has a name.
    folder
        Absolute path of the task's folder.
    prompt
        What the agent is asked; never empty.
    repo
        Folder of the starting repository, or None when `task.source` names it.
    source
        Local repository that `task.source` names, or None when `repo` holds the files.
    hidden
        Files below `folder / "hidden"` that are laid over the result before grading.
    solution_patch, solution_answer
        Reference solution, where there is one.
    wrong
        Wrong solutions, by name.
    digest
        Hash of everything that decides the outcome; 16 hex digits.
    recorded
        Name of each check on single tests -> the ids that must pass (tests.json).
    dockerfile
        environment/Dockerfile, where there is one; the image is built from its folder.
    given_digest
        Hash of the part of it that the agent is given: all but how the result is graded.
    quarantined
        Why the suite's quarantine.toml keeps it from being run; in no digest.
    judge
        How its judges are reached; which models they are stands in its checks.
    dimensions
        What its suite compares in gates beside what they always compare; in no digest.
    """

    task: Task
    folder: Path
    prompt: str
    repo: Path | None
    source: Path | None
    hidden: tuple[str, ...]
    solution_patch: Path | None
    solution_answer: Path | None
    wrong: tuple[Wrong, ...]
    digest: str
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dockerfile: Path | None = None
    given_digest: str = ""
    quarantined: str | None = None
    judge: JudgeSettings = JudgeSettings()
    dimensions: tuple[Dimension, ...] = ()

    @property
    def id(self) -> str:
        """Id of the task."""
        return self.task.id

    @property
    def has_image(self) -> bool:
        """Whether its commands run in a container of an image of its own."""
        return self.task.image is not None or self.dockerfile is not None


@dataclass(frozen=True)
class LoadedSuite:
    """A folder of tasks.

    Attributes
    ----------
    name
        Name in suite.toml, else the folder's.
    folder
        Absolute path of the suite's folder.
    suite
        What suite.toml says; all defaults when there is none.
    tasks
        Its tasks by id; one of them when the path of a single task was given.
    module
        The Python module that defines it; None for a folder of files.
    has_agent
        Whether that module brings an agent of its own.
    """

    name: str
    folder: Path
    suite: Suite
    tasks: tuple[LoadedTask, ...]
    module: Path | None = None
    has_agent: bool = False

    @property
    def path(self) -> Path:
        """What `load_suite` reads it from again."""
        return self.module or self.folder

    def task(self, task_id: str) -> LoadedTask:
        """Return the task with this id.

        Raises
        ------
        KeyError
            When the suite has none.
        """
        for loaded in self.tasks:
            if loaded.id == task_id:
                return loaded
        raise KeyError(task_id)
