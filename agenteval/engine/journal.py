"""The journal of a run: append-only, one writer, a trial's lines in one write and one fsync."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Sequence
from pathlib import Path

from agenteval.engine.diskspace import cannot_write, writing_to
from agenteval.engine.scratch import remove
from agenteval.engine.spec import TrialResult
from agenteval.errors import EngineError, RecordError, RunLocked
from agenteval.records import (
    RunFolder,
    Standings,
    TrialBlock,
    encode_block,
    read_standings,
    replace_file,
    sync_folder,
)


class JournalWriter:
    """Holds a run's journal for writing, wherever its folder is moved to meanwhile.

    Opening repairs a torn tail: what a crash left after the last committed trial is moved to a file
    beside the journal and reported in `repaired`.

    Attributes
    ----------
    held
        Where the trials of the journal stand, after repair.
    place
        Its folder, named by a descriptor that no renaming changes.
    repaired
        A sentence when a torn tail was found, else None.

    Raises
    ------
    RunLocked
        When another process is writing this run.
    RecordError
        When a newer agenteval wrote in it: what this one cannot read it must not continue.
    EngineError
        When the folder cannot be written.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._open: list[int] = []
        try:
            self._descriptor, self.place = self._opened()
            self.held: Standings = read_standings(self.place.journal)
            self._check_versions()
            with writing_to(folder.path):
                self.repaired = self._repair()
        except BaseException:
            self.close()
            raise

    def _opened(self) -> tuple[int, RunFolder]:
        """The journal, locked, and its folder by a descriptor that a renaming does not change."""
        path = self.folder.path
        with writing_to(path):
            path.mkdir(parents=True, exist_ok=True)
            self._open.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY))
            place = RunFolder(Path(f"/proc/self/fd/{self._open[0]}"))
            descriptor = os.open(place.journal, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
            self._open.append(descriptor)
        if not _lock(descriptor):
            raise RunLocked(
                "Another process is writing this run",
                str(path),
                "wait for it, stop it, or use another --run-id",
            )
        sync_folder(place.path)
        return descriptor, place

    def _check_versions(self) -> None:
        if self.held.newer_lines:
            raise RecordError(
                f"A newer agenteval wrote {len(self.held.newer_lines)} lines of this journal, which this one cannot read",
                f"{self.folder.journal}:{self.held.newer_lines[0]}",
                "resume with that version, or use another --run-id",
            )

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the journal free."""
        while self._open:
            os.close(self._open.pop())

    def append(self, result: TrialResult) -> None:
        """Store artifacts, then commit the trial; both survive a power cut once this returns.

        A write that fails half-way (a full disk) is taken back, so that nothing written before is
        damaged.

        Raises
        ------
        DiskFull
            When there is no space for the trial; it runs again on resume.
        EngineError
            When it cannot be written otherwise.
        """
        row = result.attempt
        try:
            folder = self.place.grading(row.trial_id, row.attempt, row.grading)
            write_artifacts(folder, result)
            for parent in (folder.parent, self.place.artifacts, self.place.path):
                sync_folder(parent)
            self._write(encode_block(row, result.checks))
        except OSError as error:
            raise self._refused(error) from error

    def append_blocks(self, blocks: Sequence[TrialBlock]) -> None:
        """Commit blocks whose artifacts are in place, all in one write; raises as `append`."""
        try:
            self._write(b"".join(encode_block(block.attempt, block.checks) for block in blocks))
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> EngineError:
        return cannot_write("A finished trial cannot be written", self.folder.path, error)

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
        with self.place.journal.open("rb") as file:
            file.seek(self.held.good_bytes)
            torn = file.read()
        name = f"journal.torn-{time.time_ns()}"
        replace_file(self.place.path / name, torn)
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
    """Write an attempt's artifacts below `folder`, durably.

    A killed engine may have left others there.
    """
    remove(folder)
    paths = {folder / name: data for name, data in result.artifacts.items()}
    folders = {folder, *(path.parent for path in paths)}
    for parent in sorted(folders):
        parent.mkdir(parents=True, exist_ok=True)
    for path, data in paths.items():
        path.write_bytes(data)
    # first all of it is written, then waited for: the disk can take it in one go
    for path in (*(path for path, data in paths.items() if data), *folders):
        sync_folder(path)


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
