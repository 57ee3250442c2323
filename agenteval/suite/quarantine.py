"""quarantine.toml beside a suite's tasks: those that are not run for now, with day and reason."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agenteval.errors import RecordError
from agenteval.records import QUARANTINE, read_quarantine
from agenteval.suite.problems import Problems, nearest, shown


def read_suite_quarantine(
    suite: Path, name: str, tasks: Iterable[Path], problems: Problems
) -> dict[str, str]:
    """Task id to the reason with its day; outside every digest, since it decides no outcome.

    Parameters
    ----------
    suite
        The suite's folder.
    name
        The suite's name: entries for another one are left to it.
    tasks
        Folders of all its tasks. An entry for none of them is a problem: it would keep nothing
        from being run.
    """
    path = suite / QUARANTINE
    try:
        entries = read_quarantine(path)
    except RecordError as error:
        problems.add(error.what, error.where, error.fix)
        return {}
    ids = [task.name for task in tasks]
    found = {}
    for entry in entries:
        if entry.suite not in (None, name):
            continue
        if entry.id not in ids:
            near = nearest(entry.id, ids)
            problems.add(
                f"The quarantine names a task {entry.id!r} that the suite does not have",
                shown(path),
                f"write {near!r}, or remove the entry" if near else "remove the entry",
            )
        found[entry.id] = entry.told
    return found
