"""The JSON lines of a journal: one record a line, each with `schema_version` and `record`.

A trial is a block of lines: its checks, then its attempt. The attempt's line commits the
trial; lines of checks whose attempt never came are a torn tail and are not read. A regrading is
a block of the same trial and attempt with a higher `grading`: no further attempt, but the outcome
that holds from then on.
"""

from __future__ import annotations

import contextlib
import gc
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agenteval.errors import RecordError
from agenteval.records.rows import AttemptRow, CheckRow
from agenteval.records.schema import SCHEMA_VERSION, NewerRecordError, upgrade

MANY_BYTES = 16 << 20
JournalRow = AttemptRow | CheckRow
RECORD_NAMES: dict[type, str] = {AttemptRow: "attempt", CheckRow: "check"}


def _head(model: type[JournalRow]) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "record": RECORD_NAMES[model]}


def _beginning(model: type[JournalRow]) -> tuple[bytes, int, Callable[[bytes], JournalRow]]:
    """How a line of today begins, up to its first own field, and what reads the rest."""
    head = json.dumps(_head(model)).encode().removesuffix(b"}") + b", "
    return head, len(head), model.__pydantic_validator__.validate_json


_BEGINNINGS = (_beginning(AttemptRow), _beginning(CheckRow))


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
        Committed attempts with their checks, in order, each with its newest grading.
    superseded
        Older gradings of those attempts, in the order they were written.
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
    superseded: list[TrialBlock] = field(default_factory=list)
    good_bytes: int = 0
    torn_bytes: int = 0
    bad_lines: list[int] = field(default_factory=list)
    newer_lines: list[int] = field(default_factory=list)


def encode_row(row: JournalRow) -> bytes:
    """One line, newline included; half a surrogate pair, which UTF-8 has not, becomes `?`."""
    text = json.dumps(
        _head(type(row)) | row.model_dump(mode="json"), ensure_ascii=False, allow_nan=False
    )
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
    row = _decoded_at_once(line)
    if row is not None:
        return row
    return _decode(line, where)


def _decoded_at_once(line: bytes) -> JournalRow | None:
    """What `_decode` gives, four times as fast, if this is a line as we write them today."""
    for beginning, length, validate in _BEGINNINGS:
        if line.startswith(beginning):
            try:
                return validate(b"{" + line[length:])
            except ValidationError:
                return None
    return None


def _decode(line: bytes, where: str) -> JournalRow:
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
    if not path.exists():
        return Journal()
    with _without_collector(many=path.stat().st_size >= MANY_BYTES):
        return _read(path)


def _read(path: Path) -> Journal:
    journal = Journal()
    pending: list[CheckRow] = []
    position = 0
    for number, line in enumerate(_lines(path), start=1):
        position += len(line)
        if not line.endswith(b"\n"):
            break
        try:
            row = _decoded_at_once(line)
            if row is None:
                row = _decode(line, f"{path}:{number}")
        except RecordError as error:
            journal.bad_lines.append(number)
            if isinstance(error, NewerRecordError):
                journal.newer_lines.append(number)
                journal.good_bytes = position
            continue
        if type(row) is CheckRow:  # what isinstance asks of a model class takes longer
            pending.append(row)
            continue
        assert type(row) is AttemptRow
        key = _key(row)
        own = tuple([check for check in pending if _key(check) == key])
        journal.blocks.append(TrialBlock(row, own))
        pending = []
        journal.good_bytes = position
    journal.torn_bytes = path.stat().st_size - journal.good_bytes
    _supersede(journal)
    return journal


def _key(row: JournalRow) -> tuple[str, int, int]:
    return row.trial_id, row.attempt, row.grading


def _supersede(journal: Journal) -> None:
    """Put the newest grading of each attempt in the place of its first one."""
    newest: dict[tuple[str, int], TrialBlock] = {}
    if all(block.attempt.grading == 1 for block in journal.blocks):
        return
    for block in journal.blocks:
        key = block.attempt.trial_id, block.attempt.attempt
        if block.attempt.grading > (newest[key].attempt.grading if key in newest else 1):
            newest[key] = block
    if not newest:
        return
    every, journal.blocks = journal.blocks, []
    placed = set()
    for block in every:
        key = block.attempt.trial_id, block.attempt.attempt
        if newest.get(key, block) is not block:
            journal.superseded.append(block)
        if key not in placed or key not in newest:
            journal.blocks.append(newest.get(key, block))
            placed.add(key)


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


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file
