"""The journal of a run: append-only, one writer, a trial's lines in one write and one fsync."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from agenteval.engine.scratch import remove
from agenteval.engine.spec import TrialResult
from agenteval.errors import EngineError, RunLocked
from agenteval.records import Journal, RunFolder, encode_block, read_journal, sync_folder


class JournalWriter:
    """Holds a run's journal for writing.

    Opening repairs a torn tail: what a crash left after the last committed trial is moved to a file
    beside the journal and reported in `repaired`.

    Attributes
    ----------
    held
        What the journal holds, after repair.
    repaired
        A sentence when a torn tail was found, else None.

    Raises
    ------
    RunLocked
        When another process is writing this run.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        folder.path.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(folder.journal, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
        if not _lock(self._descriptor):
            os.close(self._descriptor)
            raise RunLocked(
                "Another process is writing this run",
                str(folder.path),
                "wait for it, stop it, or use another --run-id",
            )
        sync_folder(folder.path)
        self.held: Journal = read_journal(folder.journal)
        self.repaired = self._repair()

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the journal free."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def append(self, result: TrialResult) -> None:
        """Store artifacts, then commit the trial.

        A write that fails half-way (a full disk) is taken back, so that nothing written before is
        damaged.

        Raises
        ------
        EngineError
            When the trial cannot be written; it runs again on resume.
        """
        row = result.attempt
        try:
            write_artifacts(self.folder.attempt(row.trial_id, row.attempt), result)
            self._write(encode_block(row, result.checks))
        except OSError as error:
            raise EngineError(
                f"A finished trial cannot be written: {error.strerror or error}",
                str(self.folder.path),
                "make space, then resume with the same command and --run-id: only this trial and those that were running run again",
            ) from error

    def _write(self, data: bytes) -> None:
        before = os.fstat(self._descriptor).st_size
        try:
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            os.fsync(self._descriptor)
        except BaseException:
            os.ftruncate(self._descriptor, before)
            raise

    def _repair(self) -> str | None:
        if not self.held.torn_bytes:
            return None
        with self.folder.journal.open("rb") as file:
            file.seek(self.held.good_bytes)
            torn = file.read()
        name = f"journal.torn-{time.time_ns()}"
        (self.folder.path / name).write_bytes(torn)
        os.ftruncate(self._descriptor, self.held.good_bytes)
        os.fsync(self._descriptor)
        return f"{len(torn)} bytes after the last whole trial were torn by a crash; moved to {name}, and that trial runs again"


def _lock(descriptor: int) -> bool:
    """Take the writer's lock; a reader that just looks (`is_being_written`) is waited out."""
    for _ in range(10):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return True
    return False


def write_artifacts(folder: Path, result: TrialResult) -> None:
    """Write an attempt's artifacts below `folder`, where a killed engine may have left others."""
    remove(folder)
    for name, data in result.artifacts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def is_being_written(folder: RunFolder) -> bool:
    """Whether some process holds the run's journal."""
    if not folder.journal.exists():
        return False
    descriptor = os.open(folder.journal, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
