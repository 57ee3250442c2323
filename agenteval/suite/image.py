"""The image that a task's commands run in: named, or built from the task's own environment/."""

from __future__ import annotations

from pathlib import Path

from agenteval.records import Task
from agenteval.suite.folder import Folder
from agenteval.suite.tree import Entry, read_tree

ENVIRONMENT, DOCKERFILE = "environment", "Dockerfile"


def read_dockerfile(own: Task, folder: Folder) -> tuple[Path | None, tuple[Entry, ...]]:
    """Return the path of environment/Dockerfile and all files of that folder, which it may copy."""
    environment = folder.owned(ENVIRONMENT)
    if environment is None:
        return None, ()
    path = environment / DOCKERFILE
    if not path.is_file():
        folder.problems.add(
            "environment/ has no Dockerfile, so nothing would be made of it",
            environment,
            "add environment/Dockerfile, or delete the folder",
        )
        return None, ()
    if own.image is not None:
        folder.problems.add(
            "The task has two images: the key `image` and environment/Dockerfile",
            folder.key("image"),
            "keep one of the two; a Dockerfile can start with FROM that image",
        )
    return path, read_tree(environment, folder.problems)


def check_build(task: Task, dockerfile: Path | None, folder: Folder) -> None:
    """Note a problem for an [environment] that would build nothing."""
    environment = task.environment
    if environment and not environment.build and dockerfile is None:
        folder.problems.add(
            "[environment] builds nothing",
            folder.key("environment.build"),
            "give `build` commands, add environment/Dockerfile, or remove the table",
        )
