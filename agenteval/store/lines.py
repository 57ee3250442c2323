"""Tables that lie as lines beside each trial, read only when a query asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from agenteval.records import RunFolder

_BATCH_BYTES = 16 << 20


@dataclass(frozen=True)
class Beside:
    """Whole lines of one trial: those of the attempt that stands for it."""

    run_id: str
    trial_id: str
    lines: bytes


Parse = Callable[[Sequence[Beside]], pa.Table]


@dataclass(frozen=True)
class LineTable:
    """How a table is made of lines.

    Attributes
    ----------
    artifact
        Name of the file among a trial's artifacts.
    schema
        Columns of the table.
    parse
        Makes rows of the lines of some trials; leaves out lines that are none.
    """

    artifact: str
    schema: pa.Schema
    parse: Parse

    def read(
        self, folders: dict[str, RunFolder], chosen: Iterable[tuple[str, str, int]]
    ) -> Iterator[pa.Table]:
        """Parse a few megabytes at a time; files that are not there have no rows.

        Parameters
        ----------
        folders
            By run id.
        chosen
            `(run_id, trial_id, attempt)` of each trial.
        """
        batch: list[Beside] = []
        size = 0
        for run_id, trial_id, attempt in chosen:
            path = folders[run_id].attempt(trial_id, attempt) / self.artifact
            lines = _whole_lines(path)
            if not lines:
                continue
            batch.append(Beside(run_id, trial_id, lines))
            size += len(lines)
            if size >= _BATCH_BYTES:
                yield self.parse(batch)
                batch, size = [], 0
        if batch:
            yield self.parse(batch)


class LineStream:
    """A table as an Arrow stream that DuckDB opens when a query reads it, and only then."""

    def __init__(
        self,
        table: LineTable,
        folders: dict[str, RunFolder],
        chosen: Sequence[tuple[str, str, int]],
    ) -> None:
        self._table, self._folders, self._chosen = table, folders, chosen

    def __arrow_c_schema__(self) -> Any:
        """Columns, without reading a file."""
        return self._table.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Read the files from the beginning."""
        tables = self._table.read(self._folders, self._chosen)
        batches = (batch for table in tables for batch in table.to_batches())
        return pa.RecordBatchReader.from_batches(self._table.schema, batches).__arrow_c_stream__(
            requested_schema
        )


def owned(rows: pa.Table, trials: Sequence[Beside], counts: Sequence[int]) -> pa.Table:
    """Set run and trial from where the lines lie, which a copied folder cannot get wrong.

    Parameters
    ----------
    counts
        Rows of each trial, in order.
    """
    owner = pa.array(
        [index for index, count in enumerate(counts) for _ in range(count)], pa.int32()
    )
    for name in ("run_id", "trial_id"):
        values = pc.take(pa.array([getattr(each, name) for each in trials], pa.string()), owner)
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    return rows


def _whole_lines(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return b""
    return data[: data.rfind(b"\n") + 1]
