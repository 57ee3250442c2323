"""What a task is graded with: hidden files, and solutions that must pass or fail."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from agenteval.records import Task
from agenteval.suite.folder import Folder
from agenteval.suite.loaded import Wrong
from agenteval.suite.problems import nearest, shown
from agenteval.suite.tree import Entry, read_tree

HIDDEN, WRONG = "hidden", "wrong"
PATCH_ENDING, ANSWER_ENDING = ".patch", ".answer.md"


def read_hidden(task: Task, folder: Folder) -> tuple[Entry, ...]:
    """Return the hidden files: those that the task declares, or all when it declares none."""
    hidden = folder.owned(HIDDEN)
    if hidden and not hidden.is_dir():
        folder.problems.add(
            "hidden is not a folder",
            hidden,
            "make it a folder of the files that grading lays over the result",
        )
        return ()
    entries = read_tree(hidden, folder.problems) if hidden else ()
    for entry in entries:
        if entry.mode == "link":
            folder.problems.add(
                "A hidden file is a symbolic link, which grading would not follow",
                folder.path / HIDDEN / entry.path,
                "replace it by a copy",
            )
    if "hidden" not in task.model_fields_set:
        return entries
    declared = [str(PurePosixPath(name)) for name in task.hidden]
    on_disk = [entry.path for entry in entries]
    for name in declared:
        if not any(_covers(name, path) for path in on_disk):
            near = nearest(name, on_disk)
            folder.problems.add(
                f"The hidden file {name!r} is missing",
                folder.key("hidden"),
                f"put it at {shown(folder.path / HIDDEN / name)}, or take it off the list"
                + (f" (nearest there: {near!r})" if near else ""),
            )
    for path in on_disk:
        if not any(_covers(name, path) for name in declared):
            folder.problems.add(
                f"{path!r} lies in hidden/ and is not declared",
                folder.key("hidden"),
                "add it to `hidden`, or delete the file (without the key `hidden` all files there count)",
            )
    return entries


def _covers(declared: str, path: str) -> bool:
    return declared in (path, ".") or path.startswith(f"{declared}/")


def read_wrong(folder: Folder) -> tuple[Wrong, ...]:
    """Return the wrong solutions below wrong/, by name."""
    top = folder.owned(WRONG)
    if top is None or not top.is_dir():
        return ()
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(top.iterdir()):
        if path.name.startswith(".") or path.name == "README.md":
            continue
        for ending, part in ((PATCH_ENDING, "patch"), (ANSWER_ENDING, "answer")):
            if (
                path.name.endswith(ending)
                and path.is_file()
                and folder.owned(f"{WRONG}/{path.name}")
            ):
                found.setdefault(path.name.removesuffix(ending), {})[part] = path
                break
        else:
            folder.problems.add(
                f"{path.name!r} is no wrong solution",
                path,
                "name it *.patch (a git diff against repo/) or *.answer.md (an answer), or delete it",
            )
    return tuple(Wrong(name, **parts) for name, parts in found.items())
