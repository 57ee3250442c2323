"""tau-bench: a JSON list with one record a trial. Its rule: a reward of 1 is a success."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenteval.records import Arm, decide, digest
from agenteval.store.importers import fields
from agenteval.store.importers.drafts import (
    CheckDraft,
    Malformed,
    Reading,
    RunDraft,
    TaskDraft,
    TrialDraft,
)

_TOLERANCE = 1e-6  # tau-bench counts 1 - 1e-6 <= reward <= 1 + 1e-6
_STRATEGY = r"(?:(?P<agent>tool-calling|react|act|few-shot)-)?"
_NAMES = (
    re.compile(_STRATEGY + r"(?P<model>.+?)-(?P<domain>airline|retail)(?:[-_.].*)?"),
    re.compile(_STRATEGY + r"(?P<model>.+?)-\d+\.\d+_range_.*"),
)


def read_tau_bench(path: Path, reading: Reading) -> list[RunDraft]:
    """Read one results file."""
    try:
        data = fields.read_json(path)
        if not isinstance(data, list) or not data:
            raise Malformed("(file)", "must be a list of records that is not empty")
    except Malformed as problem:
        reading.bad(path, None, problem)
        return []
    named = next(
        (found.groupdict() for pattern in _NAMES if (found := pattern.fullmatch(path.stem))), {}
    )
    suite = reading.suite or "-".join(["tau-bench", *filter(None, [named.get("domain")])])
    trials = _trials(data, path, suite, reading)
    arm = Arm(
        agent_spec=reading.agent or named.get("agent") or "tau-bench",
        model=reading.model or named.get("model"),
    )
    _note_fractions(trials, path, reading)
    return [
        RunDraft(
            name=path.stem,
            origin=digest("tau-bench", json.dumps(data, sort_keys=True)),
            file=path,
            suite=suite,
            arm=arm,
            created_at=datetime.now(UTC),
            trials=tuple(trials),
            recorded=len(data),
        )
    ]


def _trials(data: list[Any], path: Path, suite: str, reading: Reading) -> list[TrialDraft]:
    trials: list[TrialDraft] = []
    seen: dict[tuple[str, int], int] = {}
    for position, value in enumerate(data, start=1):
        try:
            trial = _trial(fields.record(value), suite)
            key = (trial.task.task_id, trial.repeat)
            if key in seen:
                raise Malformed(
                    "trial", f"repeats task {key[0]}, trial {key[1] - 1} of record {seen[key]}"
                )
        except Malformed as problem:
            reading.bad(path, position, problem)
            continue
        seen[key] = position
        trials.append(trial)
    return trials


def _trial(data: fields.Record, suite: str) -> TrialDraft:
    reward = fields.number(data, "reward", 0.0, 1.0 + _TOLERANCE)
    passed = abs(reward - 1.0) <= _TOLERANCE
    info = fields.record(data.get("info") or {})
    steps = fields.objects(data, "traj")
    ended_by = _ended_by(info)
    own = [step for step in steps if step.get("role") == "assistant"]
    return TrialDraft(
        task=_task(data, info, suite),
        repeat=fields.whole(data, "trial") + 1,
        outcome=decide(ended_by=ended_by, checks_passed=[passed]),
        checks=(CheckDraft("reward", passed, min(reward, 1.0), detail=f"reward {reward:g}"),),
        values={
            "ended_by": ended_by,
            "error_message": str(info["error"]) if "error" in info else None,
            "turns": len(own),
            "tool_calls": sum(len(step.get("tool_calls") or ()) for step in own),
        },
    )


def _ended_by(info: fields.Record) -> str:
    """Tell who ended the run: tau-bench rewards only a conversation that came to its end."""
    if "error" in info:
        return "crash"
    return "agent" if "reward_info" in info else "turn_limit"


def _task(data: fields.Record, info: fields.Record, suite: str) -> TaskDraft:
    task_id = data.get("task_id")
    if isinstance(task_id, bool) or not isinstance(task_id, int | str) or task_id == "":
        raise Malformed("task_id", f"must be a number or a text, is {task_id!r}")
    task = info.get("task")
    prompt = task.get("instruction") if isinstance(task, dict) else None
    contents = (suite, str(task_id), json.dumps(task, sort_keys=True) if task else "")
    return TaskDraft(str(task_id), contents, prompt if isinstance(prompt, str) else None)


def _note_fractions(trials: list[TrialDraft], path: Path, reading: Reading) -> None:
    scores = [trial.checks[0].score for trial in trials if not trial.outcome.passed]
    between = sum(1 for score in scores if score > 0)
    if between:
        reading.notes.append(
            f"{path.name}: {between} of {len(trials)} rewards lie between 0 and 1. tau-bench counts only "
            "1 as a success, so they are failures in the rate; their value is kept as the score."
        )
