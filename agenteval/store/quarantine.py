"""The quarantine of a store: tasks whose trials are left out, whatever run they are of."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path

from agenteval.errors import InvalidInput, RecordError, StoreError
from agenteval.records import (
    QuarantinedTask,
    StoreFolder,
    parse_quarantine,
    read_quarantine,
    replace_file,
)
from agenteval.store.location import locate
from agenteval.store.store import Store

_HEAD = re.compile(r"(?m)^(?=[ \t]*\[\[[ \t]*task[ \t]*\]\])")


def quarantine(
    store_path: str | Path,
    task: str,
    *,
    reason: str | None = None,
    suite: str | None = None,
    undo: bool = False,
    since: date | None = None,
) -> QuarantinedTask:
    """Leave all trials of a task out of every rate of a store, or take that back.

    Writes `quarantine.toml` in the store's folder, which people may edit as well. Runs go on with
    the task; a quarantine.toml in the suite's folder keeps it from being run.

    Parameters
    ----------
    store_path
        Store, or a folder that holds `.agenteval/store`.
    task
        Id of a task that the store has trials of.
    reason
        Why; needed unless `undo`.
    suite
        Only in the suite of this name; in every one when None.
    undo
        Remove the task's entry.
    since
        Day to write; today (UTC) when None.

    Raises
    ------
    StoreError
        When the store knows no such task, or its quarantine.toml cannot be read.
    InvalidInput
        Without a reason, or when the task is quarantined already, or not at all for `undo`.
    """
    folder = StoreFolder(locate(store_path))
    path = folder.quarantine
    try:
        entries = list(read_quarantine(path))
    except RecordError as error:
        raise StoreError(error.what, error.where, error.fix) from error
    text = path.read_text("utf-8") if path.exists() else ""
    place = next((n for n, e in enumerate(entries) if (e.id, e.suite) == (task, suite)), None)
    if undo:
        if place is None:
            raise InvalidInput(
                f"The task {task!r} is not quarantined here",
                str(path),
                "name one of "
                + (", ".join(e.id for e in entries) or "those in it: there are none"),
            )
        _replace(path, _without(text, entries, place, str(path)))
        return entries[place]
    if not (reason and reason.strip()):
        raise InvalidInput(
            "A quarantine needs a reason",
            f"{task}, --reason",
            'say why, as in --reason "its tests fail at midnight"',
        )
    if place is not None:
        raise InvalidInput(
            f"The task {task!r} is quarantined already ({entries[place].told})",
            str(path),
            "edit the entry, or take it back with --undo first",
        )
    _known(folder, task, suite)
    entry = QuarantinedTask(
        id=task, since=since or datetime.now(UTC).date(), reason=reason.strip(), suite=suite
    )
    gap = "\n" if text.strip() and not text.endswith("\n\n") else ""
    _replace(path, (text if not text or text.endswith("\n") else text + "\n") + gap + _block(entry))
    return entry


def _known(folder: StoreFolder, task: str, suite: str | None) -> None:
    tasks = Store(folder.path).tasks()
    own = tasks if suite is None else tasks[tasks["suite"] == suite]
    if (own["task_id"] == task).any():
        return
    some = ", ".join(sorted(own["task_id"].unique())[:8])
    raise StoreError(
        f"The store has no trials of a task {task!r}" + (f" of suite {suite!r}" if suite else ""),
        str(folder.path),
        f"name one of {some}" if some else "name a task and suite of one of its runs",
    )


def _block(entry: QuarantinedTask) -> str:
    lines = ["[[task]]", f"id = {_quoted(entry.id)}"]
    if entry.suite is not None:
        lines.append(f"suite = {_quoted(entry.suite)}")
    lines += [f"since = {entry.since.isoformat()}", f"reason = {_quoted(entry.reason)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML text; JSON writes the same but for the one control character it leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _without(text: str, entries: list[QuarantinedTask], place: int, where: str) -> str:
    """The text without one entry: cut out where that leaves just the others, else written anew."""
    left = [entry for number, entry in enumerate(entries) if number != place]
    parts = _HEAD.split(text)
    cut = "".join(part for number, part in enumerate(parts) if number != place + 1)
    try:
        if list(parse_quarantine(cut, where)) == left:
            return cut
    except RecordError:
        pass
    return "\n".join(map(_block, left))


def _replace(path: Path, text: str) -> None:
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise StoreError(
            f"The quarantine cannot be written: {error.strerror or error}",
            str(path),
            "make the store writable and leave room on the disk; nothing was changed",
        ) from error
