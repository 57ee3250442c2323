"""The results.jsonl of a shell harness that scores with jq: one line a run, a run of ours a label.

Its rule: a run is a success when the hidden tests and the project's own suite both pass; edits of
protected files and a failing linter are mistakes beside it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

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
from agenteval.store.importers.lines import read_lines, result_files

NAME = "shell-harness"


def read_shell_harness(path: Path, reading: Reading) -> list[RunDraft]:
    """Read one results.jsonl, or those of a folder of labels."""
    try:
        files = result_files(path)
    except Malformed as problem:
        reading.bad(path, None, problem)
        return []
    suite = reading.suite or NAME
    labels: dict[str, list[TrialDraft]] = {}
    seen: set[tuple[str, str, int]] = set()
    recorded = 0

    def one(data: fields.Record) -> None:
        label = fields.text(data, "label")
        trial = _trial(data, suite)
        key = (label, trial.task.task_id, trial.repeat)
        if key in seen:
            raise Malformed("attempt", f"repeats attempt {key[2]} of task {key[1]}, label {label}")
        seen.add(key)
        labels.setdefault(label, []).append(trial)

    for file in files:
        recorded += read_lines(file, reading, one)[1]
    if not recorded:
        reading.bad(path, None, Malformed("(file)", "holds no line"))
    if labels:
        reading.notes.append(
            f"{path.name}: input tokens are left out, since the harness adds cache reads to them."
        )
    return [
        RunDraft(
            name=label,
            origin=digest(NAME, label, json.dumps([_told(trial) for trial in trials])),
            file=path,
            suite=suite,
            arm=Arm(agent_spec=reading.agent or NAME, model=reading.model, variant=label),
            created_at=datetime.now(UTC),
            trials=tuple(trials),
            recorded=len(trials),
        )
        for label, trials in labels.items()
    ]


def _told(trial: TrialDraft) -> list[object]:
    return [trial.task.task_id, trial.repeat, trial.outcome.passed, sorted(trial.values.items())]


def _trial(data: fields.Record, suite: str) -> TrialDraft:
    name = fields.text(data, "task")
    success, hidden, own = (_truth(data, key) for key in ("success", "hidden_tests", "suite"))
    if success != (hidden and own):
        raise Malformed("success", "does not follow from hidden_tests and suite")
    cost, turns = fields.number(data, "cost_usd", 0), fields.whole(data, "turns")
    # without the agent's JSON, which a crash leaves, the harness writes zeros
    crashed = turns == 0 and cost == 0 and fields.whole(data, "output_tokens") == 0
    ended_by = "crash" if crashed else "agent"
    return TrialDraft(
        task=TaskDraft(name, (suite, name)),
        repeat=max(1, fields.whole(data, "attempt")),
        outcome=decide(ended_by=ended_by, checks_passed=[hidden, own]),
        checks=(
            CheckDraft("hidden tests", hidden, float(hidden), kind="hidden-tests"),
            CheckDraft("suite", own, float(own), kind="suite"),
        ),
        values={
            "ended_by": ended_by,
            "protected_edits": fields.whole(data, "protected_edits"),
            "lint_failures": fields.whole(data, "lint_failed"),
            "denials": None if crashed else fields.whole(data, "denied"),
            "cost_usd": None if crashed else cost,
            "reported_cost_usd": None if crashed else cost,
            "cost_source": "unknown" if crashed else "reported",
            "duration_s": None if crashed else fields.number(data, "duration_s", 0),
            "turns": None if crashed else turns,
            "output_tokens": None if crashed else fields.whole(data, "output_tokens"),
        },
    )


def _truth(data: fields.Record, name: str) -> bool:
    value = fields.truth_or_unknown(data, name)
    if value is None:
        raise Malformed(name, "must be true or false, is null")
    return value
