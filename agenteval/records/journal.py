"""A journal as it is read: committed attempts, each with its checks, or only where its trial stands.

A trial is a block of lines: its checks, then its attempt. The attempt's line commits the
trial; lines of checks whose attempt never came are a torn tail and are not read. A regrading is
a block of the same trial and attempt with a higher `grading`: no further attempt, but the outcome
that holds from then on.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agenteval.errors import RecordError
from agenteval.records.codec import ATTEMPT, CHECK, decode_slowly, decoded_at_once, lines_of
from agenteval.records.outcome import Status
from agenteval.records.rows import AttemptRow, CheckRow
from agenteval.records.schema import NewerRecordError

MANY_BYTES = 16 << 20
Item = TypeVar("Item")
_A_CHECK = object()


class Standing(BaseModel):
    """What decides whether an attempt's trial runs again, and what it used up.

    The few columns of `AttemptRow` that a resumed run needs: to read only these takes a third of
    the time, and a resume of a hundred thousand trials is mostly that.
    """

    model_config = ConfigDict(
        extra="ignore", frozen=True, allow_inf_nan=False, from_attributes=True
    )

    trial_id: str
    attempt: int = 1
    grading: int = 1
    task_id: str
    arm: str
    repeat: int
    status: Status
    passed: bool | None = None
    error_class: str | None = None
    started_at: datetime | None = None
    duration_s: float | None = None
    agent_s: float | None = None
    cost_usd: float | None = None
    judge_cost_usd: float | None = None
    reused_from: str | None = None


_validate_standing = Standing.__pydantic_validator__.validate_json


@dataclass
class _Extent:
    """How much of a journal's file is good.

    Attributes
    ----------
    good_bytes
        Length of the part that ends with the last committed attempt.
    torn_bytes
        Bytes after it (a line cut by a crash, or checks without their attempt).
    bad_lines
        Numbers of whole lines that are not records of this version.
    newer_lines
        Those of them that a newer agenteval wrote; they are no damage, and `good_bytes` covers
        them. Who finds any must not write on.
    """

    good_bytes: int = 0
    torn_bytes: int = 0
    bad_lines: list[int] = field(default_factory=list)
    newer_lines: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class TrialBlock:
    """The lines of one attempt."""

    attempt: AttemptRow
    checks: tuple[CheckRow, ...] = ()


@dataclass
class Journal(_Extent):
    """What a journal holds; the rest as in `Standings`.

    Attributes
    ----------
    blocks
        Committed attempts with their checks, in order, each with its newest grading.
    superseded
        Older gradings of those attempts, in the order they were written.
    """

    blocks: list[TrialBlock] = field(default_factory=list)
    superseded: list[TrialBlock] = field(default_factory=list)


@dataclass
class Standings(_Extent):
    """Where the trials of a journal stand.

    In a journal of `MANY_BYTES` or more, a line that is a record but for a column that is not read
    here counts as one; who reads the whole journal finds it.

    Attributes
    ----------
    rows
        Committed attempts in order, each as its newest grading left it.
    good_bytes, torn_bytes
        Length of the part that ends with the last committed attempt, and bytes after it.
    bad_lines, newer_lines
        Numbers of whole lines that are not records of this version, and those of them that a newer
        agenteval wrote.
    """

    rows: list[Standing] = field(default_factory=list)


def read_journal(path: Path) -> Journal:
    """Read all committed attempts; a torn tail is measured, never an error."""
    journal = Journal()
    pending: list[CheckRow] = []

    def keep(row: object) -> bool:
        if type(row) is CheckRow:  # what isinstance asks of a model class takes longer
            pending.append(row)
            return False
        assert type(row) is AttemptRow
        key = _key(row)
        own = tuple([check for check in pending if _key(check) == key])
        journal.blocks.append(TrialBlock(row, own))
        pending.clear()
        return True

    if path.exists():
        with _without_collector(many=path.stat().st_size >= MANY_BYTES):
            _scan(path, journal, decoded_at_once, keep)
            journal.blocks, journal.superseded = _newest(
                journal.blocks, [block.attempt for block in journal.blocks]
            )
    return journal


def read_standings(path: Path) -> Standings:
    """Read where the trials of a journal stand, and no more; else as `read_journal`."""
    standings = Standings()

    def keep(row: object) -> bool:
        if type(row) is AttemptRow:
            row = Standing.model_validate(row)
        if type(row) is not Standing:
            return False
        standings.rows.append(row)
        return True

    if path.exists():
        many = path.stat().st_size >= MANY_BYTES
        with _without_collector(many=many):
            # what costs nothing is looked at whole: a trial whose record nobody can read runs again
            _scan(path, standings, _standing_at_once if many else decoded_at_once, keep)
            standings.rows, _ = _newest(standings.rows, standings.rows)
    return standings


def _standing_at_once(line: bytes) -> object | None:
    """Where an attempt's line leaves its trial, or that it is a check's; None for lines of others."""
    head, length, _ = ATTEMPT
    if line.startswith(head):
        try:
            return _validate_standing(b"{" + line[length:])
        except ValidationError:
            return None
    return _A_CHECK if line.startswith(CHECK[0]) and line.endswith(b"}\n") else None


def _scan(
    path: Path,
    extent: _Extent,
    at_once: Callable[[bytes], object | None],
    keep: Callable[[object], bool],
) -> None:
    """Hand every record to `keep`, which says whether it commits a trial; measure what is good.

    Parameters
    ----------
    at_once
        Reads a line as we write them today; None sends it the slow way.
    """
    position = 0
    for number, line in enumerate(lines_of(path), start=1):
        position += len(line)
        if not line.endswith(b"\n"):
            break
        try:
            row = at_once(line)
            if row is None:
                row = decode_slowly(line, f"{path}:{number}")
        except RecordError as error:
            extent.bad_lines.append(number)
            if isinstance(error, NewerRecordError):
                extent.newer_lines.append(number)
                extent.good_bytes = position
            continue
        if keep(row):
            extent.good_bytes = position
    extent.torn_bytes = path.stat().st_size - extent.good_bytes


def _key(row: AttemptRow | CheckRow) -> tuple[str, int, int]:
    return row.trial_id, row.attempt, row.grading


def _newest(
    items: list[Item], rows: Sequence[AttemptRow | Standing]
) -> tuple[list[Item], list[Item]]:
    """Items with the newest grading of each attempt in the place of its first one, and the older ones."""
    if all(row.grading == 1 for row in rows):
        return items, []
    newest: dict[tuple[str, int], int] = {}
    for index, row in enumerate(rows):
        key = row.trial_id, row.attempt
        if row.grading > (rows[newest[key]].grading if key in newest else 1):
            newest[key] = index
    kept, superseded, placed = [], [], set()
    for index, row in enumerate(rows):
        key = row.trial_id, row.attempt
        last = newest.get(key, index)
        if last != index:
            superseded.append(items[index])
        if key not in placed or key not in newest:
            kept.append(items[last])
            placed.add(key)
    return kept, superseded


@contextlib.contextmanager
def _without_collector(*, many: bool) -> Iterator[None]:
    """Rows hold no cycles: to look for some among so many doubles the time, now and later on."""
    if not many or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
