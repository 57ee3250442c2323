"""Tasks of other tools, converted: all of a path, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agenteval.errors import ForeignFormatError, InvalidInput, TaskError
from agenteval.suite.authoring.placing import check_new
from agenteval.suite.foreign.chatcli import read_chatcli
from agenteval.suite.foreign.conversion import Clones, Conversion, Malformed
from agenteval.suite.foreign.harbor import read_harbor
from agenteval.suite.foreign.neuralinverse import read_neuralinverse
from agenteval.suite.foreign.reading import Reading
from agenteval.suite.foreign.shell_harness import read_shell_harness
from agenteval.suite.foreign.swe_bench import read_swe_bench
from agenteval.suite.foreign.writing import place, stage, staged_beside
from agenteval.suite.problems import nearest, shown

TASK_FORMATS: dict[str, Callable[[Path, Reading], None]] = {
    "neuralinverse": read_neuralinverse,
    "chatcli": read_chatcli,
    "shell-harness": read_shell_harness,
    "harbor": read_harbor,
    "swe-bench": read_swe_bench,
}


@dataclass(frozen=True)
class ImportedTasks:
    """What an import of tasks did, or would do.

    Attributes
    ----------
    suite
        Folder that they are in, or would be.
    tasks
        Conversions, with what each dropped or changed.
    folders
        Folders that were written; empty when nothing was to be.
    skipped
        Bad records that were left out: where, and why.
    """

    suite: Path
    tasks: tuple[Conversion, ...]
    folders: tuple[Path, ...]
    skipped: tuple[tuple[str, str], ...]


def import_tasks(
    format: str,  # noqa: A002 - the word people type
    path: Path,
    suite: Path,
    *,
    clones: Clones,
    repo: Path | None = None,
    skip_bad: bool = False,
    dry_run: bool = False,
) -> ImportedTasks:
    """Convert tasks of another tool and put them into a suite.

    Every task is written beside the suite and loaded before any is put into it. Nothing is ever
    overwritten.

    Parameters
    ----------
    format
        One of `TASK_FORMATS`.
    path
        File or folder of the tool.
    suite
        Folder that the tasks go into; made when it is missing.
    clones
        Opens git repositories.
    repo
        Where the repositories of SWE-bench rows are.
    skip_bad
        Convert the good records and count the bad ones, in place of refusing all.
    dry_run
        Convert and load, and write nothing into the suite.

    Raises
    ------
    ForeignFormatError
        Names file, record and field; nothing was written.
    InvalidInput
        When the format is unknown, or an id is taken.
    """
    reader = TASK_FORMATS.get(format)
    if reader is None:
        near = nearest(format, TASK_FORMATS)
        raise InvalidInput(
            f"There is no format {format!r}",
            "FORMAT",
            f"use {near!r}" if near else f"use one of {', '.join(TASK_FORMATS)}",
        )
    if not path.exists():
        raise ForeignFormatError("The tasks are not there", shown(path), "check the path")
    reading = Reading(suite.absolute(), clones, repo, skip_bad=skip_bad)
    reader(path.absolute(), reading)
    with staged_beside(suite) as staging:
        kept = [task for task in reading.found if _staged(task, staging, reading)]
        if not kept:
            raise ForeignFormatError(
                f"The path holds no task of {format} that can be converted",
                shown(path),
                _why(reading),  # fmt: skip
            )
        for task in kept:
            check_new(suite, task.task_id)
        folders = [] if dry_run else place(kept, staging, suite)
    return ImportedTasks(suite, tuple(kept), tuple(folders), tuple(reading.skipped))


def _staged(task: Conversion, staging: Path, reading: Reading) -> bool:
    try:
        stage(task, staging)
    except TaskError as error:
        reading.bad(Path(task.origin), "", Malformed("(task)", f"does not load: {error.what} ({error.where})"))  # fmt: skip
        return False
    return True


def _why(reading: Reading) -> str:
    if reading.skipped:
        where, why = reading.skipped[0]
        return f"mend the {len(reading.skipped)} bad ones first; {where}: {why}"
    return "name the file or folder that the tool reads"
