"""What a job looks like outside the database."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

QUEUED = "queued"
RUNNING = "running"
DONE = "done"
DEAD = "dead"

STATUSES = (QUEUED, RUNNING, DONE, DEAD)


@dataclass(frozen=True)
class Job:
    id: int
    kind: str
    payload: Any
    status: str
    run_at: float
    created_at: float
    attempts: int
    max_attempts: int
    last_error: str | None

    @classmethod
    def from_row(cls, row: sqlite3.Row) -> "Job":
        return cls(
            id=row["id"],
            kind=row["kind"],
            payload=json.loads(row["payload"]),
            status=row["status"],
            run_at=row["run_at"],
            created_at=row["created_at"],
            attempts=row["attempts"],
            max_attempts=row["max_attempts"],
            last_error=row["last_error"],
        )
