"""neuralinverse eval's results.jsonl: one line a run, a run of ours for each model and variant.

Its rule: a run passes when all its checks pass; an error is a run that a limit or a crash ended,
and does not pass; a skipped one (a program is missing) does not count. The keys are taken in camel
or snake case, since its documentation names what a line holds and not how the keys are spelled.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenteval.records import Arm, Outcome, Status, decide, digest
from agenteval.store.importers import fields
from agenteval.store.importers.drafts import (
    CheckDraft,
    Malformed,
    Reading,
    RunDraft,
    TaskDraft,
    TrialDraft,
)
from agenteval.store.importers.lines import first_of, read_lines, result_files

NAME = "neuralinverse"
CATEGORIES = ("bugfix", "feature", "refactor", "explain", "test", "multi-file", "config", "debug")
LIMITS = {"time": "timeout", "cost": "cost_limit", "turn": "turn_limit", "token": "token_limit"}
TOKENS = {
    "input_tokens": ("input", "inputTokens", "input_tokens"),
    "output_tokens": ("output", "outputTokens", "output_tokens"),
    "cache_read_tokens": ("cacheRead", "cacheReadTokens", "cache_read_tokens"),
    "cache_write_tokens": ("cacheWrite", "cacheWriteTokens", "cache_write_tokens"),
}
COUNTS = {
    "turns": ("turns",),
    "tool_calls": ("toolCalls", "tool_calls"),
    "tool_errors": ("toolErrors", "tool_errors"),
    "harness_events": ("harnessEvents", "harness_events"),
}
Config = tuple[str | None, str | None]


def read_neuralinverse(path: Path, reading: Reading) -> list[RunDraft]:
    """Read one results.jsonl, or that of a run's folder."""
    try:
        files = result_files(path)
    except Malformed as problem:
        reading.bad(path, None, problem)
        return []
    suite = reading.suite or NAME
    found: dict[Config, dict[tuple[str, int], TrialDraft]] = {}
    recorded = 0

    def one(data: fields.Record) -> None:
        config = (_word(data, "model"), _word(data, "variant"))
        trial = _trial(data, suite)
        key = (trial.task.task_id, trial.repeat)
        if key in found.setdefault(config, {}):
            raise Malformed("repeat", f"is {key[1]} a second time for task {key[0]}")
        found[config][key] = trial

    for file in files:
        recorded += read_lines(file, reading, one)[1]
    if not recorded:
        reading.bad(path, None, Malformed("(file)", "holds no line"))
    if any(repeat == 0 for trials in found.values() for _, repeat in trials):
        found = {config: _from_one(trials) for config, trials in found.items()}
    stem = path.stem if path.is_dir() or path.stem != "results" else path.absolute().parent.name
    return [
        RunDraft(
            name="-".join(filter(None, [stem, *config])) if len(found) > 1 else stem,
            origin=digest(NAME, *map(str, config), json.dumps(sorted(map(_told, trials.values())))),
            file=path,
            suite=suite,
            arm=Arm(
                agent_spec=reading.agent or NAME,
                model=reading.model or config[0],
                variant=config[1],
            ),
            created_at=datetime.now(UTC),
            trials=tuple(trials.values()),
            recorded=len(trials),
        )
        for config, trials in found.items()
        if trials
    ]


def _from_one(trials: dict[tuple[str, int], TrialDraft]) -> dict[tuple[str, int], TrialDraft]:
    """Repeats that were counted from 0, counted from 1."""
    return {key: replace(trial, repeat=trial.repeat + 1) for key, trial in trials.items()}


def _told(trial: TrialDraft) -> str:
    values = sorted(trial.values.items())
    return json.dumps([trial.task.task_id, trial.repeat, trial.outcome.status, values])


def _trial(data: fields.Record, suite: str) -> TrialDraft:
    name = fields.text(data, first_of(data, "taskId", "task", "task_id", "id"))
    status = fields.text(data, "status")
    checks = (
        tuple(_check(check) for check in fields.objects(data, "checks"))
        if data.get("checks")
        else ()
    )
    reason = _word(data, "stopReason", "stop_reason")
    ended_by = _ended_by(status, reason)
    cost = _number(data, "costUsd", "cost_usd", "cost")
    tokens = fields.record(data.get("tokens") or data.get("usage") or data)
    return TrialDraft(
        task=TaskDraft(name, (suite, name)),
        repeat=_repeat(data),
        outcome=_outcome(status, ended_by),
        checks=checks,
        values={
            "ended_by": ended_by,
            "stop_reason": reason,
            "error_message": _word(data, "error", "message"),
            "category": _category(data),
            **{key: _count(data, *names) for key, names in COUNTS.items()},
            **{key: _count(tokens, *names) for key, names in TOKENS.items()},
            "cost_usd": cost,
            "reported_cost_usd": cost,
            "cost_source": "unknown" if cost is None else "reported",
            "duration_s": _seconds(data),
        },
    )


def _outcome(status: str, ended_by: str | None) -> Outcome:
    if status == "skipped":
        return decide(ended_by=None, skipped="requires_missing")
    if status == "error":
        return Outcome(Status.ERROR, passed=False, error_class=ended_by)
    if status not in ("pass", "fail"):
        raise Malformed("status", f"must be pass, fail, error or skipped, is {status!r}")
    return decide(ended_by="agent", checks_passed=[status == "pass"])


def _ended_by(status: str, reason: str | None) -> str | None:
    if status == "skipped":
        return None
    if status != "error":
        return "agent"
    words = (reason or "").lower()
    return next((limit for word, limit in LIMITS.items() if word in words), "crash")


def _repeat(data: fields.Record) -> int:
    key = first_of(data, "repeat", "repetition", "rep")
    return fields.whole(data, key) if key in data else 1


def _check(check: fields.Record) -> CheckDraft:
    passed = fields.truth_or_unknown(check, first_of(check, "passed", "pass", "ok"))
    name = check.get("name") or check.get("label") or check.get("kind") or "check"
    output = check.get("output")
    return CheckDraft(
        name=str(name),
        passed=passed,
        score=float(bool(passed)),
        detail=str(output)[-600:] if output else None,
        kind=str(check["kind"]) if isinstance(check.get("kind"), str) else None,
    )


def _category(data: fields.Record) -> str | None:
    word = _word(data, "category")
    return word if word in CATEGORIES else None


def _seconds(data: fields.Record) -> float | None:
    milliseconds = _number(data, "durationMs", "duration_ms", "timeMs", "time_ms")
    return _number(data, "duration_s") if milliseconds is None else milliseconds / 1000


def _word(data: fields.Record, *names: str) -> str | None:
    return fields.text_or_unknown(data, first_of(data, *names))


def _count(data: fields.Record, *names: str) -> int | None:
    value: Any = data.get(first_of(data, *names))
    if isinstance(value, list):
        return len(value)
    return None if value is None else fields.whole(data, first_of(data, *names))


def _number(data: fields.Record, *names: str) -> float | None:
    key = first_of(data, *names)
    return None if data.get(key) is None else fields.number(data, key, 0)
