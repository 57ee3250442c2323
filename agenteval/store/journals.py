"""Journals to Arrow: many at a time and fast, falling back to the codec where a line is odd."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from agenteval.records import SCHEMA_VERSION, Status, columns, encode_block, read_journal
from agenteval.store.frames import ARROW_TYPES, arrow_schema

POSITION = "position"
ATTEMPT_SCHEMA = arrow_schema("attempts").append(pa.field(POSITION, pa.int64()))
_BATCH_BYTES = 32 << 20
_BLOCK_BYTES = 8 << 20
_COST_SOURCES = ("metered", "reported", "recomputed", "unknown")


@dataclass(frozen=True)
class Journal:
    """The bytes of one journal at one moment, a torn tail included."""

    run_id: str
    path: Path
    data: bytes

    @property
    def whole_lines(self) -> bytes:
        """What is there without an unfinished last line."""
        return self.data[: self.data.rfind(b"\n") + 1]


@dataclass(frozen=True)
class JournalRows:
    """Committed attempts with their checks.

    Attributes
    ----------
    attempts
        Columns of the table, and `position`: the order of a trial's attempts.
    checks
        Columns of the table.
    reasons
        What could not be read, by run.
    """

    attempts: pa.Table
    checks: pa.Table
    reasons: dict[str, tuple[str, ...]]


class _Irregular(ValueError):
    """Lines that only the codec can judge."""


def load_journal(run_id: str, path: Path) -> Journal:
    """Read what is there now; a run without a journal has not begun."""
    try:
        return Journal(run_id, path, path.read_bytes())
    except FileNotFoundError:
        return Journal(run_id, path, b"")


def read_rows(journals: Iterable[Journal]) -> JournalRows:
    """Parse journals; a line that is no record is left out and reported, like in the codec."""
    attempts, checks = [ATTEMPT_SCHEMA.empty_table()], [arrow_schema("checks").empty_table()]
    reasons: dict[str, tuple[str, ...]] = {}
    for batch in _batches(journals):
        for journal_attempts, journal_checks in _parse(batch, reasons):
            attempts.append(journal_attempts)
            checks.append(journal_checks)
    return JournalRows(pa.concat_tables(attempts), pa.concat_tables(checks), reasons)


def _batches(journals: Iterable[Journal]) -> Iterator[list[Journal]]:
    batch: list[Journal] = []
    size = 0
    for journal in journals:
        batch.append(journal)
        size += len(journal.data)
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _parse(
    batch: list[Journal], reasons: dict[str, tuple[str, ...]]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    try:
        rows = _regular([(journal.run_id, journal.whole_lines) for journal in batch])
    except _Irregular:
        if len(batch) > 1:
            for journal in batch:
                yield from _parse([journal], reasons)
        else:
            yield from _parse_irregular(batch[0], reasons)
    else:
        yield rows


def _parse_irregular(
    journal: Journal, reasons: dict[str, tuple[str, ...]]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    lines, reasons[journal.run_id] = _through_codec(journal)
    try:
        yield _regular([(journal.run_id, lines)])
    except _Irregular as error:
        reasons[journal.run_id] += (f"cannot be read: {error}",)


def _through_codec(journal: Journal) -> tuple[bytes, tuple[str, ...]]:
    """Let the codec choose the records, and write them again as regular lines."""
    read = read_journal(journal.path)
    every = [*read.superseded, *read.blocks]
    own = [block for block in every if block.attempt.run_id == journal.run_id]
    reasons = []
    if read.bad_lines:
        reasons.append(
            f"no records in lines {', '.join(map(str, read.bad_lines))}; they are left out "
            "(a trial whose record is among them runs again on resume once its line is removed)"
        )
    if len(own) < len(every):
        reasons.append(f"{len(every) - len(own)} attempts belong to another run; they are left out")
    return b"".join(encode_block(block.attempt, block.checks) for block in own), tuple(reasons)


def _regular(journals: list[tuple[str, bytes]]) -> tuple[pa.Table, pa.Table]:
    counts = [lines.count(b"\n") for _, lines in journals]
    rows = _json(b"".join(lines for _, lines in journals), sum(counts))
    owner = np.repeat(np.arange(len(journals)), counts)
    run_ids = pa.array([run_id for run_id, _ in journals], pa.string()).take(pa.array(owner))
    _demand(_all(pc.equal(rows["run_id"], run_ids)), "a line of another run")
    is_attempt = pc.equal(rows["record"], "attempt").to_numpy()
    at = np.flatnonzero(is_attempt)
    attempts = rows.select(arrow_schema("attempts").names).take(pa.array(at))
    _validate(attempts, "attempts")
    line = at - np.searchsorted(owner, owner[at])
    position = _of_first_grading(attempts, (attempts["attempt"].to_numpy() << 32) | line)
    checks = _committed_checks(rows, np.flatnonzero(~is_attempt), at)
    _validate(checks, "checks")
    return attempts.append_column(POSITION, pa.array(position, pa.int64())), checks


def _of_first_grading(attempts: pa.Table, position: np.ndarray) -> np.ndarray:
    """Give a regrading the place of the attempt's first grading: trials keep their order."""
    if not attempts.num_rows or pc.max(attempts["grading"]).as_py() == 1:
        return position
    names = ("run_id", "trial_id", "attempt")
    keys = list(zip(*(attempts[name].to_pylist() for name in names), strict=True))
    first: dict[tuple[str, str, int], int] = {}
    for key, place in zip(keys, position.tolist(), strict=True):
        first[key] = min(place, first.get(key, place))
    again = attempts["grading"].to_numpy() > 1
    return np.where(again, [first[key] for key in keys], position)


def _committed_checks(rows: pa.Table, at_check: np.ndarray, at_attempt: np.ndarray) -> pa.Table:
    """Keep check lines whose attempt's line follows: that line commits them."""
    following = np.searchsorted(at_attempt, at_check)
    at_check, following = (
        at_check[following < len(at_attempt)],
        following[following < len(at_attempt)],
    )
    identity = ["run_id", "trial_id", "attempt", "grading"]
    checks = rows.select(arrow_schema("checks").names).take(pa.array(at_check))
    commits = rows.select(identity).take(pa.array(at_attempt[following]))
    same = [pc.equal(checks[name], commits[name]) for name in identity]
    return checks.filter(reduce(pc.and_, same))


@cache
def _line_schema() -> pa.Schema:
    fields = {
        c.name: ARROW_TYPES[c.dtype] for table in ("attempts", "checks") for c in columns(table)
    }
    return pa.schema([("schema_version", pa.int64()), ("record", pa.string()), *fields.items()])


def _json(lines: bytes, count: int) -> pa.Table:
    if not lines:
        return _line_schema().empty_table()
    try:
        lines.decode("utf-8")
        rows = pyarrow.json.read_json(
            io.BytesIO(lines),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=_line_schema(), unexpected_field_behavior="error"
            ),
            read_options=pyarrow.json.ReadOptions(block_size=_BLOCK_BYTES),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        raise _Irregular(str(error)) from error
    _demand(rows.num_rows == count, "a line that is not one object")
    _demand(not rows["schema_version"].null_count, "no schema version")
    _demand(_all(pc.equal(rows["schema_version"], SCHEMA_VERSION)), "another schema version")
    _demand(_all(pc.is_in(rows["record"], pa.array(["attempt", "check"]))), "an unknown record")
    # lines that were written before there was regrading name no grading
    place = rows.schema.get_field_index("grading")
    return rows.set_column(place, "grading", pc.fill_null(rows["grading"], 1))


def _validate(rows: pa.Table, table: str) -> None:
    for column in columns(table):
        values = rows[column.name]
        _demand(column.nullable or not values.null_count, f"no {column.name}")
        if column.dtype == "float":
            _demand(_all(pc.is_finite(values)), f"{column.name} is not finite")
    if table == "attempts":
        _demand(
            _all(pc.is_in(rows["status"], pa.array([s.value for s in Status]))), "an unknown status"
        )
        _demand(
            _all(pc.is_in(rows["cost_source"], pa.array(_COST_SOURCES))), "an unknown cost_source"
        )
        _demand(_all(pc.greater_equal(rows["repeat"], 1)), "repeat below 1")
    else:
        _demand(
            _all(pc.and_(pc.greater_equal(rows["score"], 0), pc.less_equal(rows["score"], 1))),
            "score outside 0 to 1",
        )


def _all(truth: pa.ChunkedArray | pa.Array) -> bool:
    return pc.all(truth, skip_nulls=True).as_py() is not False


def _demand(truth: bool, otherwise: str) -> None:  # noqa: FBT001 - a value, not a switch
    if not truth:
        raise _Irregular(otherwise)
