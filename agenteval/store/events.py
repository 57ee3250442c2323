"""The table `events`, made of each trial's events.jsonl."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.json
from pydantic import ValidationError

from agenteval.records import EVENTS, EventRow
from agenteval.store.frames import arrow_schema
from agenteval.store.lines import Beside, LineTable, owned

_SCHEMA = arrow_schema("events")
_REQUIRED = ("seq", "kind")


def _parse(trials: Sequence[Beside]) -> pa.Table:
    rows = _fast(trials)
    if rows is None and len(trials) > 1:
        return pa.concat_tables([_parse([one]) for one in trials])
    return _one_by_one(trials[0]) if rows is None else rows


def _fast(trials: Sequence[Beside]) -> pa.Table | None:
    """Parse all at once; None when a line needs to be looked at."""
    data = b"".join(each.lines for each in trials)
    counts = [each.lines.count(b"\n") for each in trials]
    try:
        data.decode("utf-8")
        rows = pyarrow.json.read_json(
            io.BytesIO(data),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=_SCHEMA, unexpected_field_behavior="ignore"
            ),
            read_options=pyarrow.json.ReadOptions(block_size=len(data)),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    if rows.num_rows != sum(counts) or any(rows[name].null_count for name in _REQUIRED):
        return None
    return owned(rows, trials, counts)


def _one_by_one(trial: Beside) -> pa.Table:
    good = []
    for line in trial.lines.splitlines():
        try:
            row = EventRow.model_validate(json.loads(line))
        except (UnicodeDecodeError, json.JSONDecodeError, ValidationError):
            continue
        good.append(row.model_dump())
    return owned(pa.Table.from_pylist(good, schema=_SCHEMA), [trial], [len(good)])


EVENT_LINES = LineTable(EVENTS, _SCHEMA, _parse)
