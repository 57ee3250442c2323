"""The table `requests`, made of each trial's traffic.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from agenteval.records import TRAFFIC, RequestRow
from agenteval.store.frames import arrow_schema
from agenteval.store.lines import Beside, LineTable, owned

_SCHEMA = arrow_schema("requests")
_BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
_SAME = (
    "seq", "kind", "wire", "model", "latency_s", "first_byte_s", "rate_limited_s", "retries",
    "complete", "stop_reason", "cost_usd", "error", "provider_error", "planted", "refused",
)  # fmt: skip


def _parse(trials: Sequence[Beside]) -> pa.Table:
    rows = [list(_requests(each)) for each in trials]
    table = pa.Table.from_pylist([row for of_trial in rows for row in of_trial], schema=_SCHEMA)
    return owned(table, trials, list(map(len, rows)))


def _requests(trial: Beside) -> Iterator[dict[str, Any]]:
    """Rows of one trial; its first line says how the traffic ended."""
    first_s: float | None = None
    for line in trial.lines.splitlines()[1:]:
        try:
            told = json.loads(line)
            first_s = told["started"] if first_s is None else first_s
            row = RequestRow.model_validate(_flat(trial, told, first_s))
        except (ValueError, TypeError, KeyError, AttributeError, ValidationError):
            continue
        yield row.model_dump()


def _flat(trial: Beside, told: dict[str, Any], first_s: float) -> dict[str, Any]:
    usage, results = told.get("usage", {}), told.get("results", 0)
    return {
        "run_id": trial.run_id,
        "trial_id": trial.trial_id,
        "start_s": told["started"] - first_s,
        "http_status": told.get("status"),
        "tools_offered": len(told.get("offered", ())),
        "tools_called": [call["name"] for call in told.get("calls", ())],
        "tool_results": results,
        "tool_errors": told.get("failed_results", 0),
        **{name: told[name] for name in _SAME if name in told},
        **{name: usage.get(name) for name in _BUCKETS},
    }


REQUEST_LINES = LineTable(TRAFFIC, _SCHEMA, _parse)
