"""Writing and merging parquet parts: each file appears whole, under its name, or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from agenteval.records import StoreFolder, sync_folder
from agenteval.store.frames import arrow_schema
from agenteval.store.journals import ATTEMPT_SCHEMA
from agenteval.store.sealed import SEALED_TABLES, Part, SealedRun, part_path

_ROW_GROUP = 32_768


def sealed_schema(table: str) -> pa.Schema:
    """Return the schema of a table's files; attempts carry their `position` too."""
    return ATTEMPT_SCHEMA if table == "attempts" else arrow_schema(table)


class PartWriter:
    """Collects rows of all tables and writes one file a table; used as a context manager.

    Files get their names when the block ends without an error. They are not live yet then: a
    manifest has to name them.
    """

    def __init__(self, folder: StoreFolder, name: str) -> None:
        self.name = name
        self.rows: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._folder = folder
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._buffers: dict[str, list[pa.Table]] = {table: [] for table in SEALED_TABLES}

    def add(self, table: str, rows: pa.Table) -> None:
        """Take rows of a table; they are written once there are enough for a row group."""
        if rows.num_rows:
            self.rows[table] = self.rows.get(table, 0) + rows.num_rows
            self._buffers[table].append(rows.select(sealed_schema(table).names))
            if sum(buffered.num_rows for buffered in self._buffers[table]) >= _ROW_GROUP:
                self._flush(table)

    def part(self, runs: dict[str, SealedRun]) -> Part:
        """Describe what was written, once the block has ended."""
        return Part(name=self.name, rows=self.rows, sizes=self._sizes, runs=runs)

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            for table in self.rows:
                self._flush(table)
                self._writers[table].close()
            for table in self.rows:
                self._publish(table)
            return
        for table, writer in self._writers.items():
            writer.close()
            self._temporary(table).unlink(missing_ok=True)

    def _flush(self, table: str) -> None:
        if table not in self._writers:
            path = self._temporary(table)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writers[table] = pq.ParquetWriter(path, sealed_schema(table), compression="zstd")
        if self._buffers[table]:
            self._writers[table].write_table(
                pa.concat_tables(self._buffers[table]), row_group_size=_ROW_GROUP
            )
            self._buffers[table] = []

    def _publish(self, table: str) -> None:
        temporary = self._temporary(table)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
            self._sizes[table] = os.fstat(file.fileno()).st_size
        path = part_path(self._folder, table, self.name)
        temporary.replace(path)
        sync_folder(path.parent)

    def _temporary(self, table: str) -> Path:
        return part_path(self._folder, table, f".{self.name}").with_suffix(".tmp")


def merge_parts(folder: StoreFolder, parts: Sequence[Part], name: str) -> Part:
    """Write what is live in several parts as one; a column that a part lacks is NULL in it."""
    runs: dict[str, SealedRun] = {}
    with PartWriter(folder, name) as writer:
        for part in parts:
            runs |= part.runs
            for table, path in part.files(folder).items():
                with pq.ParquetFile(path) as file:
                    for batch in file.iter_batches(_ROW_GROUP):
                        rows = _aligned(pa.Table.from_batches([batch]), sealed_schema(table))
                        writer.add(
                            table,
                            rows.filter(pc.is_in(rows["run_id"], pa.array(list(part.runs))))
                            if part.dropped
                            else rows,
                        )
    return writer.part(runs)


def _aligned(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        rows[field.name].cast(field.type)
        if field.name in rows.column_names
        else pa.nulls(rows.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
