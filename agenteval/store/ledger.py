"""Append-only JSONL files in which people add to a store: voids, tags, looks at the holdout."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from agenteval.errors import StoreError
from agenteval.records import sync_folder


@contextmanager
def held_ledger(path: Path, what: str) -> Iterator[BinaryIO]:
    """Open a ledger for appending, one writer at a time, without a line that a crash cut short.

    Parameters
    ----------
    path
        The file; it is made when there is none.
    what
        What is being added, for the message when it cannot be: `void`, `tag`.

    Raises
    ------
    StoreError
        When it cannot be written; nothing was changed then.
    """
    try:
        with path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            data = file.read()
            file.truncate(data.rfind(b"\n") + 1)
            yield file
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            f"The {what} cannot be written: {error.strerror or error}",
            str(path),
            "make the store writable and leave room on the disk; nothing was changed",
        ) from error


def append_line(file: BinaryIO, line: bytes) -> None:
    """Append one line durably, or nothing of it."""
    before = os.fstat(file.fileno()).st_size
    try:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())
    except BaseException:
        os.ftruncate(file.fileno(), before)
        raise
