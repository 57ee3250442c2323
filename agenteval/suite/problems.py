"""Collecting everything that is wrong with a suite, so that its author reads it once."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.errors import TaskError


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: what happened, where, and how to mend it."""

    what: str
    where: str
    fix: str


@dataclass
class Problems:
    """What is wrong so far.

    Attributes
    ----------
    found
        Problems in the order in which they were met.
    """

    found: list[Problem] = field(default_factory=list)

    def add(self, what: str, where: Path | str, fix: str) -> None:
        """Note one problem; a path is shown relative to the current folder where it can be."""
        self.found.append(Problem(what, shown(where) if isinstance(where, Path) else where, fix))

    def raise_if_any(self, suite: Path) -> None:
        """Raise one error that holds them all.

        Raises
        ------
        TaskError
            With the problem itself when there is one, else with a line for each.
        """
        if not self.found:
            return
        if len(self.found) == 1:
            only = self.found[0]
            raise TaskError(only.what, only.where, only.fix)
        lines = [
            f"  {number}. {p.where}: {p.what}; fix: {p.fix}"
            for number, p in enumerate(self.found, 1)
        ]
        raise TaskError(
            f"The suite has {len(self.found)} problems",
            "\n".join([shown(suite), *lines]),
            "mend each of them; nothing was started",
        )


def shown(path: Path) -> str:
    """Path as a reader would type it: relative below the current folder, else absolute."""
    absolute, here = os.path.abspath(path), os.getcwd()  # noqa: PTH100, PTH109 - resolve() would follow links
    return os.path.relpath(absolute, here) if absolute.startswith(here + os.sep) else absolute


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice most like `word`, or None when none is like it.

    >>> nearest("expct_exit", ["expect_exit", "env"])
    'expect_exit'
    """
    by_case = {choice.casefold(): choice for choice in choices}
    close = difflib.get_close_matches(word.casefold(), by_case, n=1, cutoff=0.6)
    return by_case[close[0]] if close else None


def one_of(choices: Sequence[str]) -> str:
    """Join choices for a sentence.

    >>> one_of(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(filter(None, [", ".join(choices[:-1]), choices[-1]]))
