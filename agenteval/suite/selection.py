"""Choosing tasks: `shop-*,tag:demo,split:dev`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.records import Task
from agenteval.suite.loaded import LoadedSuite, LoadedTask
from agenteval.suite.problems import nearest, one_of, shown

FILTERS = ("category", "difficulty", "kind", "language", "split", "tag")


@dataclass(frozen=True)
class Selection:
    """A selection, taken apart.

    Attributes
    ----------
    globs
        Patterns of ids; empty means any id.
    filters
        Key -> values, any of which will do.
    """

    globs: tuple[str, ...]
    filters: dict[str, tuple[str, ...]]

    @classmethod
    def parse(cls, text: str) -> Selection:
        """Take a comma list apart.

        Raises
        ------
        InvalidInput
            For a filter key that does not exist.
        """
        globs: list[str] = []
        filters: dict[str, tuple[str, ...]] = {}
        for term in filter(None, map(str.strip, text.split(","))):
            key, colon, value = term.partition(":")
            if not colon:
                globs.append(term)
                continue
            key, value = key.strip(), value.strip()
            if key not in FILTERS or not value:
                near = nearest(key, FILTERS)
                raise InvalidInput(
                    f"{term!r} selects no tasks: the keys are {one_of(FILTERS)}",
                    f"tasks={text!r}",
                    f"write {near}:{value or 'VALUE'}"
                    if near
                    else "write an id, a glob, or key:value",
                )
            filters[key] = (*filters.get(key, ()), value)
        return cls(tuple(globs), filters)

    def takes(self, task: Task, *, holdout: bool = False) -> bool:
        """Whether a task is selected; one of the holdout split only when it was asked for."""
        if self.globs and not any(fnmatchcase(task.id, glob) for glob in self.globs):
            return False
        for key, values in self.filters.items():
            own: Iterable[str] = task.tags if key == "tag" else (getattr(task, key),)
            if not any(fnmatchcase(label, value) for label in own for value in values):
                return False
        return (
            task.split != "holdout" or holdout or "split" in self.filters or task.id in self.globs
        )


def select_tasks(
    suite: LoadedSuite, tasks: str | None = None, *, holdout: bool = False
) -> tuple[LoadedTask, ...]:
    """Choose tasks of a suite.

    Parameters
    ----------
    suite
        A loaded suite.
    tasks
        Comma list of ids and globs of ids, and of `tag:`, `split:`, `category:`,
        `difficulty:`, `language:` and `kind:` with a value or glob. Terms of one sort are
        alternatives, different sorts must all hold: `a-*,b-*,tag:demo` is every task whose
        id starts with a- or b- and that has the tag demo. None or empty takes every task.
    holdout
        Take tasks of the holdout split too; else only `split:holdout` or a whole id does.

    Returns
    -------
    tuple of LoadedTask
        In the suite's order; never empty.

    Raises
    ------
    InvalidInput
        When nothing is selected; names the nearest ids.
    """
    selection = Selection.parse(tasks or "")
    chosen = tuple(
        loaded for loaded in suite.tasks if selection.takes(loaded.task, holdout=holdout)
    )
    if not chosen:
        where = f"suite {suite.name!r}"
        if any(selection.takes(loaded.task, holdout=True) for loaded in suite.tasks):
            raise InvalidInput(
                f"Every task that matches {tasks or '*'!r} is of the holdout split, which is left out unless asked for",
                where,
                "ask for split:holdout, or for a task by its whole id",
            )
        raise _nothing([loaded.id for loaded in suite.tasks], selection, tasks or "", where)
    return chosen


def narrow(folders: Sequence[Path], tasks: str) -> list[Path]:
    """Task folders that can hold a selected task, by their names alone.

    Raises
    ------
    InvalidInput
        When none can; names the nearest ids.
    """
    selection = Selection.parse(tasks)
    if not selection.globs:
        return list(folders)
    found = [
        path for path in folders if any(fnmatchcase(path.name, glob) for glob in selection.globs)
    ]
    if not found:
        raise _nothing([path.name for path in folders], selection, tasks, shown(folders[0].parent))
    return found


def _nothing(ids: Sequence[str], selection: Selection, text: str, where: str) -> InvalidInput:
    near = [
        name
        for glob in selection.globs
        for name in difflib.get_close_matches(glob.strip("*"), ids, n=3, cutoff=0.5)
    ]
    some = ", ".join(ids[:10]) + (" ..." if len(ids) > 10 else "")
    fix = f"nearest ids: {', '.join(dict.fromkeys(near))}" if near else f"choose among {some}"
    return InvalidInput(f"No task matches {text!r}", f"{where}, {len(ids)} tasks", fix)
