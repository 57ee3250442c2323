"""The JSON lines of a journal: one record a line, each with `schema_version` and `record`.

How they make a journal is in `agenteval.records.journal`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agenteval.errors import RecordError
from agenteval.records.rows import AttemptRow, CheckRow
from agenteval.records.schema import SCHEMA_VERSION, NewerRecordError, upgrade

JournalRow = AttemptRow | CheckRow
RECORD_NAMES: dict[type, str] = {AttemptRow: "attempt", CheckRow: "check"}


def _head(model: type[JournalRow]) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "record": RECORD_NAMES[model]}


def _beginning(model: type[JournalRow]) -> tuple[bytes, int, Callable[[bytes], JournalRow]]:
    """How a line of today begins, up to its first own field, and what reads the rest."""
    head = json.dumps(_head(model)).encode().removesuffix(b"}") + b", "
    return head, len(head), model.__pydantic_validator__.validate_json


ATTEMPT, CHECK = _beginning(AttemptRow), _beginning(CheckRow)


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
    row = decoded_at_once(line)
    if row is not None:
        return row
    return decode_slowly(line, where)


def decoded_at_once(line: bytes) -> JournalRow | None:
    """What `decode_slowly` gives, four times as fast, if this is a line as we write them today."""
    for beginning, length, validate in (ATTEMPT, CHECK):
        if line.startswith(beginning):
            try:
                return validate(b"{" + line[length:])
            except ValidationError:
                return None
    return None


def decode_slowly(line: bytes, where: str) -> JournalRow:
    """Read one line that need not be as we write them today; raises as `decode_line`."""
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


def read_objects(path: Path) -> Iterator[dict[str, Any]]:
    """Decode the whole lines of a JSONL file, without validation; an unfinished tail is left out.

    Raises
    ------
    RecordError
        For a whole line that is no JSON object.
    """
    for number, line in enumerate(lines_of(path), start=1):
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


def lines_of(path: Path) -> Iterator[bytes]:
    """Lines of a file, newlines included; the last one may have none."""
    with path.open("rb") as file:
        yield from file
