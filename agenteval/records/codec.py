"""The JSON lines of a journal: one record a line, each with `schema_version` and `record`.

A trial is a block of lines: its checks, then its attempt. The attempt's line commits the
trial; lines of checks whose attempt never came are a torn tail and are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agenteval.errors import RecordError
from agenteval.records.rows import AttemptRow, CheckRow
from agenteval.records.schema import SCHEMA_VERSION, NewerRecordError, upgrade

JournalRow = AttemptRow | CheckRow
RECORD_NAMES: dict[type, str] = {AttemptRow: "attempt", CheckRow: "check"}


@dataclass(frozen=True)
class TrialBlock:
    """The lines of one attempt."""

    attempt: AttemptRow
    checks: tuple[CheckRow, ...] = ()


@dataclass
class Journal:
    """What a journal holds.

    Attributes
    ----------
    blocks
        Committed attempts with their checks, in order.
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

    blocks: list[TrialBlock] = field(default_factory=list)
    good_bytes: int = 0
    torn_bytes: int = 0
    bad_lines: list[int] = field(default_factory=list)
    newer_lines: list[int] = field(default_factory=list)


def encode_row(row: JournalRow) -> bytes:
    """One line, newline included; half a surrogate pair, which UTF-8 has not, becomes `?`."""
    head = {"schema_version": SCHEMA_VERSION, "record": RECORD_NAMES[type(row)]}
    text = json.dumps(head | row.model_dump(mode="json"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


def encode_block(attempt: AttemptRow, checks: Sequence[CheckRow] = ()) -> bytes:
    """All lines of one attempt, to be written with one write and one fsync."""
    rows: list[JournalRow] = [*checks, attempt]
    return b"".join(map(encode_row, rows))


def decode_line(line: bytes, where: str) -> JournalRow:
    """Read one line.

    Raises
    ------
    RecordError
        Names the field when the line is no record.
    """
    try:
        data = upgrade(json.loads(line), where)
    except (ValueError, RecursionError) as error:
        raise RecordError(
            "A journal line is not JSON",
            f"{where}: {error}",
            "remove the line; the trial runs again on resume",
        ) from error
    data.pop("schema_version")
    kind = data.pop("record", None)
    model: type[AttemptRow] | type[CheckRow]
    if kind == "attempt":
        model = AttemptRow
    elif kind == "check":
        model = CheckRow
    else:
        raise NewerRecordError(
            f"A journal line holds the unknown record {kind!r}", where, "install a newer agenteval"
        )
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise RecordError(
            "A journal line is not a valid record",
            f"{where}, field {'.'.join(map(str, first['loc']))}: {first['msg']}",
            "remove the line; the trial runs again on resume",
        ) from error


def read_journal(path: Path) -> Journal:
    """Read all committed attempts; a torn tail is measured, never an error."""
    journal = Journal()
    if not path.exists():
        return journal
    pending: list[CheckRow] = []
    position = 0
    for number, line in enumerate(_lines(path), start=1):
        position += len(line)
        if not line.endswith(b"\n"):
            break
        try:
            row = decode_line(line, f"{path}:{number}")
        except RecordError as error:
            journal.bad_lines.append(number)
            if isinstance(error, NewerRecordError):
                journal.newer_lines.append(number)
                journal.good_bytes = position
            continue
        if isinstance(row, CheckRow):
            pending.append(row)
            continue
        own = tuple(c for c in pending if (c.trial_id, c.attempt) == (row.trial_id, row.attempt))
        journal.blocks.append(TrialBlock(row, own))
        pending = []
        journal.good_bytes = position
    journal.torn_bytes = path.stat().st_size - journal.good_bytes
    return journal


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Decode the whole lines of a JSONL file, without validation; an unfinished tail is left out.

    Raises
    ------
    RecordError
        For a whole line that is no JSON object.
    """
    for number, line in enumerate(_lines(path), start=1):
        if not line.endswith(b"\n"):
            return
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(
                "A line is not JSON", f"{path}:{number}: {error}", "remove the line"
            ) from error
        if not isinstance(data, dict):
            raise RecordError("A line holds no JSON object", f"{path}:{number}", "remove the line")
        yield data


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file
