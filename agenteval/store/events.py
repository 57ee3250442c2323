"""events.jsonl of trials that are not sealed, read only when a query asks for them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
from pydantic import ValidationError

from agenteval.records import EVENTS, EventRow, RunFolder
from agenteval.store.frames import arrow_schema

EVENT_SCHEMA = arrow_schema("events")
_BATCH_BYTES = 16 << 20
_REQUIRED = ("seq", "kind")


@dataclass(frozen=True)
class EventFile:
    """Events of one trial: those of the attempt that stands for it."""

    run_id: str
    trial_id: str
    path: Path


def event_files(
    folders: dict[str, RunFolder], chosen: Iterable[tuple[str, str, int]]
) -> list[EventFile]:
    """Locate the events of `(run_id, trial_id, attempt)`; the files need not exist."""
    return [
        EventFile(run_id, trial_id, folders[run_id].attempt(trial_id, attempt) / EVENTS)
        for run_id, trial_id, attempt in chosen
    ]


class EventStream:
    """Events as an Arrow stream that DuckDB opens when a query reads the table, and only then."""

    def __init__(self, files: list[EventFile]) -> None:
        self._files = files

    def __arrow_c_schema__(self) -> Any:
        """Columns, without reading a file."""
        return EVENT_SCHEMA.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Read the files from the beginning."""
        batches = (batch for table in read_events(self._files) for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(EVENT_SCHEMA, batches).__arrow_c_stream__(
            requested_schema
        )


def read_events(files: Iterable[EventFile]) -> Iterator[pa.Table]:
    """Parse events a few megabytes at a time; lines that are no events are left out."""
    batch: list[tuple[EventFile, bytes]] = []
    size = 0
    for file in files:
        try:
            data = file.path.read_bytes()
        except FileNotFoundError:
            continue
        lines = data[: data.rfind(b"\n") + 1]
        batch.append((file, lines))
        size += len(lines)
        if size >= _BATCH_BYTES:
            yield _parse(batch)
            batch, size = [], 0
    if size:
        yield _parse(batch)


def _parse(batch: list[tuple[EventFile, bytes]]) -> pa.Table:
    rows = _fast(batch)
    if rows is None and len(batch) > 1:
        return pa.concat_tables([_parse([one]) for one in batch])
    if rows is None:
        rows = _one_by_one(*batch[0])
    return rows


def _fast(batch: list[tuple[EventFile, bytes]]) -> pa.Table | None:
    """Parse all at once; None when a line needs to be looked at."""
    data = b"".join(lines for _, lines in batch)
    counts = [lines.count(b"\n") for _, lines in batch]
    if not data:
        return EVENT_SCHEMA.empty_table()
    try:
        data.decode("utf-8")
        rows = pyarrow.json.read_json(
            io.BytesIO(data),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=EVENT_SCHEMA, unexpected_field_behavior="ignore"
            ),
            read_options=pyarrow.json.ReadOptions(block_size=_BATCH_BYTES),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    if rows.num_rows != sum(counts) or any(rows[name].null_count for name in _REQUIRED):
        return None
    return _owned(rows, [file for file, _ in batch], counts)


def _owned(rows: pa.Table, files: list[EventFile], counts: list[int]) -> pa.Table:
    """Set run and trial from where the file lies, which a copied folder cannot get wrong."""
    owner = pa.array(
        [index for index, count in enumerate(counts) for _ in range(count)], pa.int32()
    )
    for name in ("run_id", "trial_id"):
        values = pc.take(pa.array([getattr(file, name) for file in files], pa.string()), owner)
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    return rows


def _one_by_one(file: EventFile, lines: bytes) -> pa.Table:
    good = []
    for line in lines.splitlines():
        try:
            row = EventRow.model_validate(json.loads(line))
        except (UnicodeDecodeError, json.JSONDecodeError, ValidationError):
            continue
        good.append(row.model_dump())
    return _owned(pa.Table.from_pylist(good, schema=EVENT_SCHEMA), [file], [len(good)])
