"""Going through the records of a path: good ones are collected, bad ones stop it or are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.errors import AgentEvalError, ForeignFormatError
from agenteval.suite.foreign.conversion import Clones, Conversion, Malformed, told
from agenteval.suite.problems import shown


@dataclass
class Reading:
    """What is known while a path is read.

    Attributes
    ----------
    target
        Folder of the suite that the tasks go into.
    clones
        Opens git repositories.
    repo
        Where the repositories of SWE-bench rows are.
    skip_bad
        Whether bad records are counted in place of stopping.
    found
        Tasks so far.
    skipped
        What was left out: where, and why.
    """

    target: Path
    clones: Clones
    repo: Path | None = None
    skip_bad: bool = False
    found: list[Conversion] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def take(self, file: Path, record: str, convert: Callable[[], Conversion]) -> None:
        """Convert one record, and keep what comes of it.

        Raises
        ------
        ForeignFormatError
            When it is malformed and bad ones are not to be skipped.
        """
        try:
            task = convert()
            taken = [each.task_id.casefold() for each in self.found]
            if task.task_id.casefold() in taken:
                raise Malformed("id", f"is {task.task_id!r} a second time")
        except Malformed as problem:
            self.bad(file, record, problem)
            return
        except ForeignFormatError:
            raise
        except AgentEvalError as error:  # a repository that cannot be read
            self.bad(file, record, Malformed("repository", f"{error.what} ({error.where})"))
            return
        self.found.append(task)

    def bad(self, file: Path, record: str, problem: Malformed) -> None:
        """Count a bad record.

        Raises
        ------
        ForeignFormatError
            When bad ones are not to be skipped.
        """
        where = told(problem, Path(shown(file)), record)
        if not self.skip_bad:
            raise ForeignFormatError(
                f"`{problem.field}` {problem.reason}",
                where,
                "mend the record, or leave bad ones out with --skip-bad; nothing was written",
            )
        self.skipped.append((where, f"{problem.field} {problem.reason}"))


def task_places(path: Path, sign: str) -> list[Path]:
    """The folder itself when it holds `sign`, else those of its subfolders that do, by name."""
    if (path / sign).exists():
        return [path]
    if not path.is_dir():
        return []
    return sorted(p for p in path.iterdir() if p.is_dir() and (p / sign).exists())
