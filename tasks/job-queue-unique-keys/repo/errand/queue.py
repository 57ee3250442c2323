"""The queue: every change of a job goes through here, one transaction each."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from errand.backoff import delay_s
from errand.jobs import DEAD, DONE, QUEUED, RUNNING, Job
from errand.schema import migrate


class QueueError(Exception):
    """What was asked for is not possible with this job."""


class Queue:
    """Opens (and if need be creates or upgrades) a queue file."""

    def __init__(self, path: str | Path, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._db = sqlite3.connect(path, timeout=10, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        try:
            migrate(self._db)
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> "Queue":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def enqueue(
        self,
        kind: str,
        payload: Any = None,
        *,
        delay: float = 0,
        max_attempts: int = 3,
    ) -> int:
        """Add a job; its id."""
        if not kind:
            raise ValueError("a job needs a kind")
        now = self._clock()
        with self._transaction():
            cursor = self._db.execute(
                "INSERT INTO jobs (kind, payload, run_at, created_at, changed_at,"
                " max_attempts) VALUES (?, ?, ?, ?, ?, ?)",
                (kind, json.dumps(payload), now + delay, now, now, max_attempts),
            )
        return cursor.lastrowid

    def claim(self) -> Job | None:
        """Take the job that has been due longest; None if nothing is due."""
        now = self._clock()
        with self._transaction():
            row = self._db.execute(
                "SELECT id FROM jobs WHERE status = ? AND run_at <= ?"
                " ORDER BY run_at, id LIMIT 1",
                (QUEUED, now),
            ).fetchone()
            if row is None:
                return None
            self._db.execute(
                "UPDATE jobs SET status = ?, attempts = attempts + 1, changed_at = ?"
                " WHERE id = ?",
                (RUNNING, now, row["id"]),
            )
            return self.get(row["id"])

    def finish(self, job_id: int) -> None:
        with self._transaction():
            self._expect(job_id, RUNNING)
            self._set(job_id, DONE, run_at=None)

    def fail(self, job_id: int, error: str) -> None:
        """Back into the queue for another attempt, or dead if that was the last."""
        with self._transaction():
            job = self._expect(job_id, RUNNING)
            if job.attempts >= job.max_attempts:
                self._set(job_id, DEAD, run_at=None)
            else:
                again = self._clock() + delay_s(job.attempts)
                self._set(job_id, QUEUED, run_at=again)
            self._db.execute(
                "UPDATE jobs SET last_error = ? WHERE id = ?", (error, job_id)
            )

    def requeue(self, job_id: int) -> None:
        """Give a dead job a fresh set of attempts."""
        with self._transaction():
            self._expect(job_id, DEAD)
            self._set(job_id, QUEUED, run_at=self._clock())
            self._db.execute("UPDATE jobs SET attempts = 0 WHERE id = ?", (job_id,))

    def release_stuck(self, older_than: float) -> int:
        """Requeue jobs whose worker must have died; how many."""
        now = self._clock()
        with self._transaction():
            return self._db.execute(
                "UPDATE jobs SET status = ?, run_at = ?, changed_at = ?"
                " WHERE status = ? AND changed_at < ?",
                (QUEUED, now, now, RUNNING, now - older_than),
            ).rowcount

    def purge(self, older_than: float) -> int:
        """Delete jobs that were done this many seconds ago; how many."""
        with self._transaction():
            return self._db.execute(
                "DELETE FROM jobs WHERE status = ? AND changed_at < ?",
                (DONE, self._clock() - older_than),
            ).rowcount

    def get(self, job_id: int) -> Job:
        row = self._db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
        if row is None:
            raise QueueError(f"no job {job_id}")
        return Job.from_row(row)

    def jobs(self, status: str | None = None) -> list[Job]:
        """All jobs, or those in one status, oldest first."""
        rows = self._db.execute(
            "SELECT * FROM jobs WHERE ? IS NULL OR status = ? ORDER BY id",
            (status, status),
        )
        return [Job.from_row(row) for row in rows]

    def _expect(self, job_id: int, status: str) -> Job:
        job = self.get(job_id)
        if job.status != status:
            raise QueueError(f"job {job_id} is {job.status}, not {status}")
        return job

    def _set(self, job_id: int, status: str, run_at: float | None) -> None:
        self._db.execute(
            "UPDATE jobs SET status = ?, run_at = coalesce(?, run_at), changed_at = ?"
            " WHERE id = ?",
            (status, run_at, self._clock(), job_id),
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
