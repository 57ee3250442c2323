"""The attempt's record and artifacts, put together from the parts of a trial."""

from __future__ import annotations

import json
import platform
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from agenteval.agents import AgentReport
from agenteval.engine.freeze import Frozen
from agenteval.engine.grade import Graded
from agenteval.engine.isolation import sandbox_name
from agenteval.engine.spec import TrialSpec
from agenteval.engine.work import traces_artifact
from agenteval.records import (
    ANSWER,
    EVENTS,
    PATCH,
    PROMPT,
    STDERR,
    STDOUT,
    AttemptRow,
    EventRow,
    Outcome,
    Task,
    decide,
    score,
)
from agenteval.sandbox import Finished

EVENT_TEXT = 2000


@dataclass(frozen=True)
class Phases:
    """When an attempt started, and how long its parts took (seconds)."""

    started_at: datetime
    duration_s: float
    setup_s: float
    agent_s: float
    grade_s: float


@cache
def provenance() -> dict[str, str]:
    """Versions and machine, the same for all records of one engine."""
    return {
        "agenteval_version": version("agenteval"),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "host": socket.gethostname(),
    }


def identity(spec: TrialSpec, sandbox: str) -> dict[str, Any]:
    """Fields every attempt has, however it ended."""
    task = spec.task.task
    return {
        "run_id": spec.run_id,
        "trial_id": spec.trial_id,
        "attempt": spec.attempt,
        "suite": spec.suite,
        "task_id": task.id,
        "task_digest": spec.task.digest,
        "kind": task.kind,
        "category": task.category,
        "difficulty": task.difficulty,
        "language": task.language or None,
        "split": task.split,
        "arm": spec.arm_label,
        "arm_digest": spec.arm.digest,
        "agent": spec.arm.agent,
        "agent_version": spec.arm.agent_version,
        "model": spec.arm.model,
        "variant": spec.arm.variant,
        "repeat": spec.repeat,
        "sequence": spec.sequence,
        "concurrent_trials": spec.concurrent_trials,
        "sandbox": sandbox_name(spec.task, sandbox),
        **provenance(),
    }


def blank_row(
    spec: TrialSpec, outcome: Outcome, message: str, sandbox: str, started_at: datetime
) -> AttemptRow:
    """Record of an attempt that did not come to a grading."""
    return AttemptRow(
        **identity(spec, sandbox),
        status=outcome.status,
        passed=outcome.passed,
        error_class=outcome.error_class,
        error_message=message.encode("utf-8", "replace").decode(),  # may name an agent's file
        started_at=started_at,
    )


def attempt_row(
    spec: TrialSpec,
    sandbox: str,
    phases: Phases,
    report: AgentReport,
    done: Finished,
    frozen: Frozen,
    graded: Graded,
    ended_by: str,
) -> AttemptRow:
    """Record of an attempt whose agent ran."""
    verdicts = graded.verdicts
    outcome = decide(
        ended_by=ended_by,
        checks_passed=[v.passed for v in verdicts if v.passed is not None],
        check_errors=[v.error_class or "check_no_verdict" for v in verdicts if v.passed is None],
    )
    counted = outcome.passed is not None
    return AttemptRow(
        **identity(spec, sandbox),
        status=outcome.status,
        passed=outcome.passed,
        score=score([v.score for v in verdicts], [c.weight for c in spec.task.task.checks])
        if counted
        else None,
        ended_by=ended_by,
        error_class=outcome.error_class,
        error_message=_message(outcome, report, done, graded),
        started_at=phases.started_at,
        duration_s=phases.duration_s,
        setup_s=phases.setup_s,
        agent_s=phases.agent_s,
        grade_s=phases.grade_s,
        **agent_fields(report, done),
        files_changed=len(frozen.paths),
        lines_added=frozen.lines_added,
        lines_removed=frozen.lines_removed,
        protected_edits=frozen.protected_edits(spec.task.task.protected),
        lint_failures=graded.lint_failures,
        shortcuts=graded.shortcuts,
    )


def agent_fields(report: AgentReport, done: Finished) -> dict[str, Any]:
    """Fields of the record that are known once the agent has ended, whatever comes after it."""
    cost = report.usage.get("reported_cost_usd")
    return {
        "stop_reason": report.stop_reason,
        "exit_code": done.exit_code,
        "peak_memory_mb": done.peak_memory_mb,
        **report.usage,
        "cost_usd": cost,
        "cost_source": "unknown" if cost is None else "reported",
    }


def agent_artifacts(spec: TrialSpec, report: AgentReport, done: Finished) -> dict[str, bytes]:
    """What is worth keeping once the agent has ended."""
    events = b"".join(
        EventRow(run_id=spec.run_id, trial_id=spec.trial_id, seq=seq, **_capped(event))
        .model_dump_json()
        .encode()
        + b"\n"
        for seq, event in enumerate(report.events, 1)
    )
    return {
        PROMPT: spec.task.prompt.encode(),
        ANSWER: report.answer.encode(),
        STDOUT: done.stdout,
        STDERR: done.stderr,
        **({EVENTS: events} if events else {}),
    }


def change_artifacts(
    frozen: Frozen, task: Task | None = None, traces: Iterable[str] = ()
) -> dict[str, bytes]:
    """The frozen change, the paths that it could not hold, and the traces that checks ask for."""
    left_out = {"left_out.json": json.dumps(frozen.left_out).encode()} if frozen.left_out else {}
    found = {} if task is None else traces_artifact(task, traces)
    return {PATCH: frozen.patch, **left_out, **found}


def _capped(event: Any) -> dict[str, Any]:
    fields = dict(event)
    if isinstance(fields.get("text"), str):
        fields["text"] = fields["text"][:EVENT_TEXT]
    return fields


def _message(outcome: Outcome, report: AgentReport, done: Finished, graded: Graded) -> str | None:
    if outcome.error_class in (None, "cancelled"):
        return None
    unclear = next((v.detail for v in graded.verdicts if v.passed is None), None)
    if unclear:
        return unclear.splitlines()[0][:500]
    if outcome.error_class == "crash":
        tail = done.stderr.decode("utf-8", "replace").strip()[-300:]
        return crash_message(done.exit_code, report.stop_reason) + (f": {tail}" if tail else "")
    return f"the agent was stopped by {outcome.error_class} after {done.duration_s:.1f} s"


def crash_message(exit_code: int | None, stop_reason: str | None) -> str:
    """How an agent ended that did not finish; with what it said of that.

    >>> crash_message(1, "api_error_429"), crash_message(137, None)
    ('the agent ended with exit code 1, saying api_error_429', 'the agent ended with exit code 137')
    """
    said = f", saying {stop_reason}" if stop_reason else ""
    return f"the agent ended with exit code {exit_code}{said}"
