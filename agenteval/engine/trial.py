"""One trial from start to record: workspace, agent, freeze, grade. The only lifecycle there is."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from agenteval.engine.base import TaskBase, copy_workspace, start_snapshot
from agenteval.engine.boxes import task_box
from agenteval.engine.diskspace import check_room, was_full
from agenteval.engine.evidence import GitState, change_of, git_state
from agenteval.engine.faults import failure
from agenteval.engine.grade import Graded, check_rows, grade
from agenteval.engine.judging import Judging, judge_cost, judgment_artifacts, settled, tools_of
from agenteval.engine.launching import run_setup
from agenteval.engine.metering import metered_columns, traffic_artifact
from agenteval.engine.ran import Ran
from agenteval.engine.rows import (
    Phases,
    agent_artifacts,
    agent_fields,
    attempt_row,
    blank_row,
    change_artifacts,
)
from agenteval.engine.scratch import remove
from agenteval.engine.secrets import mask_patch, masked_result, secrets_of
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.taking import clear_stubs, make_room, take_change
from agenteval.engine.tampering import in_order, sensed_in_change, sensed_in_git, sensed_outside
from agenteval.engine.turns import run_turns
from agenteval.engine.variants import handed_by, lay_variant, lays_files
from agenteval.engine.work import traces_in, work_of
from agenteval.errors import EngineError, Infrastructure
from agenteval.records import Status, decide
from agenteval.sandbox import Box, View


@dataclass
class _Kept:
    """What there is of an attempt so far: kept also when the machinery fails later on."""

    fields: dict[str, Any] = field(default_factory=dict)
    artifacts: dict[str, bytes] = field(default_factory=dict)
    disk_full: bool = False


def run_trial(spec: TrialSpec, around: Surroundings) -> TrialResult:
    """Carry out one attempt; whatever happens becomes a record.

    Failures of the machinery (also a full disk, or a fault of ours) come back as infrastructure
    outcomes, with what the agent did until then.
    """
    return masked_result(_attempt(spec, around), secrets_of(around.passed))


def _attempt(spec: TrialSpec, around: Surroundings) -> TrialResult:
    started_at, started = datetime.now(UTC), time.monotonic()
    if spec.task.task.skip is not None:
        return _skipped(spec, around, started_at, "task_skipped", spec.task.task.skip)
    folder = around.scratch / "trials" / f"{spec.trial_id}-{spec.attempt}"
    kept = _Kept()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if spec.attempt > 1:  # what could not be had for the attempt before is tried again
            around.bases.forget_failure(spec.task)
            around.images.forget_failure(spec.task)
        around = replace(around, sandbox=around.sandbox_of(spec.task))
        missing = around.sandbox.missing(spec.task.task.requires)
        if missing:
            told = f"not on PATH: {', '.join(missing)}"
            return _skipped(spec, around, started_at, "requires_missing", told)
        return _carry_out(spec, around, folder, started_at, started, kept)
    except Infrastructure as error:
        outcome = decide(ended_by="infrastructure", infrastructure=error.error_class)
        message = str(error)
        kept.disk_full = was_full(around.scratch)
    except (OSError, EngineError) as error:
        kept.disk_full = was_full(around.scratch, error)
        outcome = failure(error, agent_done="ended_by" in kept.fields, disk_full=kept.disk_full)
        message = f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - a fault of ours must not cost what the agent did
        outcome = decide(ended_by="infrastructure", infrastructure="engine_fault")
        message = f"{type(error).__name__}: {error}"
        kept.artifacts["engine_fault.txt"] = traceback.format_exc().encode("utf-8", "replace")
    finally:
        if not around.keep:
            remove(folder)
    if around.cancel is not None and around.cancel.is_set():
        outcome, message = decide(ended_by="cancelled"), "cancelled"
    row = blank_row(spec, outcome, message, around.sandbox.name, started_at)
    return TrialResult(
        row.model_copy(
            update={
                "ended_by": "infrastructure",
                **kept.fields,
                "duration_s": time.monotonic() - started,
                **({} if outcome.status == Status.ERROR else {"ended_by": "cancelled"}),
            }
        ),
        artifacts=kept.artifacts,
        disk_full=kept.disk_full,
    )


def _skipped(
    spec: TrialSpec, around: Surroundings, started_at: datetime, why: str, message: str
) -> TrialResult:
    outcome = decide(ended_by=None, skipped=why)
    return TrialResult(blank_row(spec, outcome, message, around.sandbox.name, started_at))


def _carry_out(
    spec: TrialSpec,
    around: Surroundings,
    folder: Path,
    started_at: datetime,
    started: float,
    kept: _Kept,
) -> TrialResult:
    remove(folder)
    shown = (Path(path) for path in spec.arm.files)
    box = task_box(spec.task, folder, shown=shown, hidden=(*around.hidden, around.scratch))
    base = around.bases.get(spec.task, around.sandbox, around.cancel)
    start = _workspace(spec, around, base, box)
    repository = git_state(box.workspace)
    setup_done = time.monotonic()
    ran = _run(spec, around, box, start, kept)
    report, done = ran.report, ran.done
    agent_s = time.monotonic() - setup_done - ran.gate_s
    kept.fields |= {**agent_fields(report, done), **ran.fields, "agent_s": agent_s}
    kept.artifacts |= {**agent_artifacts(spec, report, done), **ran.outputs}
    filled = done.stopped_by == "disk_limit" and not around.keep
    if done.stopped_by != "disk_limit":
        check_room(around.scratch, "host_disk_full")
    ended_by = ran.ended_by
    kept.fields["ended_by"] = ended_by
    frozen = take_change(box, start, base.rules, filled=filled)
    stored, told_masked = mask_patch(start, frozen, secrets_of(around.passed))
    traces = traces_in(box.workspace, spec.task.task)
    kept.artifacts |= change_artifacts(stored, spec.task.task, traces) | told_masked
    seen = _sensed_around(ran, repository, box, around.sandbox.view(box))
    seen |= sensed_in_change(spec.task.task, spec.task.hidden, change_of(start, frozen))
    make_room(box, filled=filled)
    told: dict[str, Any] = ran.infrastructure
    graded = Graded((), 0.0)
    if ended_by not in ("cancelled", "infrastructure"):
        grading = partial(
            grade,
            spec.task,
            start,
            frozen.tree,
            work_of(
                frozen,
                report.answer,
                store=start.store,
                traces=traces,
                handed=handed_by(spec.arm),
                metered=ran.metered,
            ),
            sandbox=around.sandbox,
            folder=folder / "grading",
            hidden=(*around.hidden, around.scratch),
            cancel=around.cancel,
        )
        judging = Judging(
            frozen.patch,
            tools_of(report),
            spec.arm.model,
            around.judge_cache,
            secrets_of(around.passed),
        )
        graded, fault = settled(grading, spec.task, report.answer, judging, around.cancel)
        if fault is not None:
            # the agent's work is done and paid for: keep it, to be graded again
            told, kept.disk_full = _fault(fault), was_full(around.scratch, fault)
    if around.cancel is not None and around.cancel.is_set():
        ended_by, told = "cancelled", {}  # a check cut short says nothing about the agent
    phases = Phases(
        started_at=started_at,
        duration_s=time.monotonic() - started,
        setup_s=setup_done - started,
        agent_s=agent_s,
        grade_s=graded.grade_s,
    )
    row = attempt_row(
        *(spec, around.sandbox.name, phases, report, done, frozen, graded),
        "infrastructure" if told else ended_by,
    )
    update = {
        **ran.fields,
        "ended_by": ended_by,
        "tampering": in_order(seen | graded.tampering),
        "judge_cost_usd": judge_cost(graded.judged.values()),
    }
    row = row.model_copy(update={**update, **ran.told_of(row.error_class), **told})
    checks = (
        ()
        if ended_by == "cancelled" or told
        else check_rows(
            spec.task, graded, run_id=spec.run_id, trial_id=spec.trial_id, attempt=spec.attempt
        )
    )
    kept.artifacts |= graded.outputs | judgment_artifacts(graded.judged, row)
    return TrialResult(row, checks, kept.artifacts, kept.disk_full, ran.quota_until)


def _run(spec: TrialSpec, around: Surroundings, box: Box, start: Snapshot, kept: _Kept) -> Ran:
    """The agent's turns, and what its model was asked meanwhile: kept also when they fail."""
    secrets = secrets_of(around.passed)
    way = None
    if around.models is not None:
        session = around.models.open(spec, start, box.workspace.parent, secrets)
        if session is not None:
            way = around.models.way(session, spec.arm, around.sandbox, box)
    try:
        ran = run_turns(
            spec,
            around.sandbox,
            box,
            passed=around.passed,
            cancel=around.cancel,
            on_output=around.on_output,
            way=way,
        )
    finally:
        if way is not None:
            traffic = way.session.close()
            kept.fields |= metered_columns(traffic, only_way=way.only, model=spec.arm.model)
            kept.artifacts |= traffic_artifact(traffic, only_way=way.only)
    clear_stubs(spec.arm, box.workspace, start)
    return ran if way is None else ran.after(traffic, only_way=way.only, model=spec.arm.model)


def _fault(error: OSError | EngineError) -> dict[str, Any]:
    error_class = error.error_class if isinstance(error, Infrastructure) else "grading_failed"
    return {"error_class": error_class, "error_message": f"{type(error).__name__}: {error}"}


def _sensed_around(ran: Ran, repository: GitState, box: Box, view: View) -> frozenset[str]:
    """What was done to the workspace's repository, and sought outside of the box."""
    told = (event.get("command") for event in ran.report.events)
    commands = [command for command in told if isinstance(command, str)]
    own = (view.workspace, view.home, view.tmp)
    return sensed_in_git(repository, git_state(box.workspace), commands) | sensed_outside(
        ran.done.network_tries, ran.report.events, own
    )


def _workspace(spec: TrialSpec, around: Surroundings, base: TaskBase, box: Box) -> Snapshot:
    mounted = copy_workspace(base, box.workspace, lasting=around.keep)

    def setup() -> None:
        lay_variant(spec.arm, box.workspace)
        run_setup(spec.task.task, around.sandbox, box, around.cancel)

    objects = box.workspace.with_name("objects")
    asked = setup if spec.task.task.setup or lays_files(spec.arm) else None
    return start_snapshot(base, box.workspace, objects, asked, mounted=mounted)
