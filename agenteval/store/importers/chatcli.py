"""ChatCLI's eval report: one JSON document, cases with their trials, a run of ours a suite.

Its rule: a trial passes when every check passes; an error (crash, time-out, failed setup) counts as
not passed; a skipped one does not count.
"""

from __future__ import annotations

import json
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

SCHEMA = 1
POLICIES = ("all", "any", "majority")
KINDS = {"judge": "judge", "command": "command"}  # theirs that mean the same as ours


def read_chatcli(path: Path, reading: Reading) -> list[RunDraft]:
    """Read one report."""
    try:
        data = fields.record(fields.read_json(path, finite=True))
        cases = fields.objects(data, "cases")
        if fields.whole(data, "schema") != SCHEMA:
            raise Malformed("schema", f"must be {SCHEMA}, is {data['schema']}")
        if not cases:
            raise Malformed("cases", "is empty")
        candidate = fields.record(data.get("candidate") or {})
        started = fields.time_or_unknown(data, "started_at") or datetime.now(UTC)
    except Malformed as problem:
        reading.bad(path, None, problem)
        return []
    stopped = "budget_used_up" if data.get("budget_exceeded") is True else "cancelled"
    trials: dict[str, list[TrialDraft]] = {}
    recorded: dict[str, int] = {}
    for number, case in enumerate(cases, start=1):
        try:
            suite = reading.suite or fields.text(case, "suite")
            found = _case(case, suite, stopped)
            if any(found[0].task.task_id == t.task.task_id for t in trials.get(suite, [])):
                raise Malformed("id", f"is {case['id']!r} a second time")
        except Malformed as problem:
            reading.bad(path, number, problem)
            continue
        trials.setdefault(suite, []).extend(found)
        recorded[suite] = recorded.get(suite, 0) + len(found)
    names = [candidate.get(key) for key in ("provider", "model")]
    model = "/".join(str(name) for name in names if name) or None
    if data.get("self_judged") is True:
        reading.notes.append(f"{path.name}: the judge was the model that was judged.")
    return [
        RunDraft(
            name=path.stem if len(trials) == 1 else f"{path.stem}-{suite}",
            origin=digest("chatcli", suite, json.dumps(data, sort_keys=True)),
            file=path,
            suite=suite,
            arm=Arm(
                agent_spec=reading.agent or "chatcli",
                agent_version=fields.text_or_unknown(data, "chatcli_version"),
                model=reading.model or model,
            ),
            created_at=started,
            trials=tuple(drafts),
            recorded=recorded[suite],
        )
        for suite, drafts in trials.items()
    ]


def _case(case: fields.Record, suite: str, stopped: str) -> list[TrialDraft]:
    name = fields.text(case, "id")
    policy = fields.text_or_unknown(case, "pass_policy") or "all"
    if policy not in POLICIES:
        raise Malformed("pass_policy", f"must be one of {', '.join(POLICIES)}, is {policy!r}")
    tags = case.get("tags") or []
    task = TaskDraft(name, (suite, name), tags=tuple(str(tag) for tag in tags), pass_policy=policy)
    trials = fields.objects(case, "trials") if case.get("trials") is not None else []
    if not trials:
        skipped = decide(ended_by=None, skipped="task_skipped")
        return [
            TrialDraft(task, 1, skipped, (), {"error_message": case.get("skip_reason") or None})
        ]
    found = [_trial(trial, task, stopped) for trial in trials]
    if len({trial.repeat for trial in found}) < len(found):
        raise Malformed("trials", "holds a number twice")
    return found


def _trial(trial: fields.Record, task: TaskDraft, stopped: str) -> TrialDraft:
    status = fields.text(trial, "status")
    checks = (
        tuple(_check(check) for check in fields.objects(trial, "checks") if check)
        if trial.get("checks")
        else ()
    )
    error = fields.text_or_unknown(trial, "error") if trial.get("error") else None
    cost = _amount(trial, "cost_usd")
    calls = trial.get("tool_calls")
    timed_out = error is not None and ("timeout" in error.lower() or "timed out" in error.lower())
    return TrialDraft(
        task=task,
        repeat=max(1, fields.whole(trial, "n")),
        outcome=_outcome(status, stopped, timed_out=timed_out),
        checks=checks,
        values={
            "ended_by": {"error": "timeout" if timed_out else "crash", "skipped": None}.get(
                status, "agent"
            ),
            "error_message": error,
            "duration_s": None
            if trial.get("duration_ms") is None
            else fields.number(trial, "duration_ms", 0) / 1000,
            "cost_usd": cost,
            "reported_cost_usd": cost,
            "cost_source": "unknown" if cost is None else "reported",
            "judge_cost_usd": _amount(trial, "judge_cost_usd"),
            "turns": fields.count_or_unknown(trial, "turns"),
            "output_tokens": fields.count_or_unknown(trial, "output_tokens"),
            "tool_calls": len(calls) if isinstance(calls, list) else None,
            "model_used": fields.text_or_unknown(trial, "model") if trial.get("model") else None,
        },
    )


def _outcome(status: str, stopped: str, *, timed_out: bool) -> Outcome:
    if status == "skipped":
        return decide(ended_by=None, skipped=stopped)
    if status == "error":
        return Outcome(Status.ERROR, passed=False, error_class="timeout" if timed_out else "crash")
    if status not in ("pass", "fail"):
        raise Malformed("status", f"must be pass, fail, error or skipped, is {status!r}")
    return decide(ended_by="agent", checks_passed=[status == "pass"])


def _check(check: fields.Record) -> CheckDraft:
    passed = fields.truth_or_unknown(check, "passed")
    kind = fields.text(check, "kind")
    label = check.get("label") or kind
    score: Any = check.get("score")
    weight = fields.number(check, "weight", 0) if check.get("weight") is not None else 1.0
    return CheckDraft(
        name=str(label),
        passed=passed,
        score=float(bool(passed)) if score is None else fields.number(check, "score", 0, 1),
        detail=str(check["detail"]) if check.get("detail") else None,
        kind=KINDS.get(kind),
        weight=weight or 1.0,
    )


def _amount(data: fields.Record, name: str) -> float | None:
    """Dollars; theirs are 0 where nothing is known."""
    return (fields.number(data, name, 0) or None) if data.get(name) is not None else None
