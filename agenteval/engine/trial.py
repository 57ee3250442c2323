"""One trial from start to record: workspace, agent, freeze, grade. The only lifecycle there is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agenteval.agents import AgentReport, Job, Output, make_agent
from agenteval.engine.base import Bases, TaskBase, copy_workspace, start_snapshot
from agenteval.engine.boxes import task_box
from agenteval.engine.evidence import change_of, git_state
from agenteval.engine.freeze import freeze
from agenteval.engine.grade import Graded, check_rows, grade
from agenteval.engine.rows import Phases, artifacts_of, attempt_row, blank_row
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import OUTPUT_LIMIT, TrialResult, TrialSpec
from agenteval.engine.tampering import in_order, sensed_in_change, sensed_in_git
from agenteval.errors import EngineError, Infrastructure
from agenteval.records import Status, decide
from agenteval.sandbox import (
    MAX_PROCESSES,
    Bounds,
    Box,
    Command,
    Finished,
    Sandbox,
    find_program,
    read_regular,
    run_in,
)

ANSWER_NAME = "answer.md"
ANSWER_LIMIT = 4 << 20
SETUP_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Surroundings:
    """What trials of one engine share.

    Attributes
    ----------
    sandbox
        Isolation for setup, agent and checks.
    bases
        Starting points of tasks.
    scratch
        Folder for workspaces.
    hidden
        Folders that no command may see, such as the store.
    cancel
        Stops whatever runs when set.
    on_output
        Sees the agent's output as it comes.
    keep
        Leave workspaces in `scratch`.
    """

    sandbox: Sandbox
    bases: Bases
    scratch: Path
    hidden: tuple[Path, ...] = ()
    cancel: threading.Event | None = None
    on_output: Callable[[str, bytes], None] | None = None
    keep: bool = False


def run_trial(spec: TrialSpec, around: Surroundings) -> TrialResult:
    """Carry out one attempt; whatever happens becomes a record.

    Failures of the machinery (also a full disk) come back as infrastructure outcomes.
    """
    started_at, started = datetime.now(UTC), time.monotonic()
    skipped = _reason_to_skip(spec)
    if skipped is not None:
        outcome = decide(ended_by=None, skipped=skipped[0])
        return TrialResult(blank_row(spec, outcome, skipped[1], around.sandbox.name, started_at))
    folder = around.scratch / "trials" / f"{spec.trial_id}-{spec.attempt}"
    try:
        return _carry_out(spec, around, folder, started_at, started)
    except Infrastructure as error:
        outcome = decide(ended_by="infrastructure", infrastructure=error.error_class)
        message = str(error)
    except (OSError, EngineError) as error:
        outcome = decide(ended_by="infrastructure", infrastructure="workspace_failed")
        message = f"{type(error).__name__}: {error}"
    finally:
        if not around.keep:
            remove(folder)
    if around.cancel is not None and around.cancel.is_set():
        outcome, message = decide(ended_by="cancelled"), "cancelled"
    row = blank_row(spec, outcome, message, around.sandbox.name, started_at)
    return TrialResult(
        row.model_copy(
            update={
                "duration_s": time.monotonic() - started,
                "ended_by": "infrastructure" if outcome.status == Status.ERROR else "cancelled",
            }
        )
    )


def _reason_to_skip(spec: TrialSpec) -> tuple[str, str] | None:
    if spec.task.task.skip is not None:
        return "task_skipped", spec.task.task.skip
    missing = [name for name in spec.task.task.requires if find_program(name) is None]
    if missing:
        return "requires_missing", f"not on PATH: {', '.join(missing)}"
    return None


def _carry_out(
    spec: TrialSpec, around: Surroundings, folder: Path, started_at: datetime, started: float
) -> TrialResult:
    remove(folder)
    shown = (Path(path) for path in spec.arm.files)
    box = task_box(spec.task, folder, shown=shown, hidden=(*around.hidden, around.scratch))
    base = around.bases.get(spec.task, around.sandbox, around.cancel)
    start = _workspace(spec, around, base, box)
    repository = git_state(box.workspace)
    setup_done = time.monotonic()
    report, done = _run_agent(spec, around, box)
    agent_done = time.monotonic()
    ended_by = done.stopped_by or ("agent" if report.finished else "crash")
    seen = sensed_in_git(repository, git_state(box.workspace), _commands(report))
    frozen = freeze(box.workspace, start, base.rules)
    seen |= sensed_in_change(spec.task.task, spec.task.hidden, change_of(start, frozen))
    told: dict[str, Any] = {}
    graded = Graded((), 0.0)
    if ended_by != "cancelled":
        try:
            graded = grade(
                spec.task,
                start,
                frozen.tree,
                report.answer,
                sandbox=around.sandbox,
                folder=folder / "grading",
                hidden=(*around.hidden, around.scratch),
                cancel=around.cancel,
            )
        except (OSError, EngineError) as error:
            # the agent's work is done and paid for: keep it, to be graded again
            ended_by, told = "infrastructure", _fault(error)
    if around.cancel is not None and around.cancel.is_set():
        ended_by = "cancelled"  # a check that was cut short says nothing about the agent
    phases = Phases(
        started_at=started_at,
        duration_s=time.monotonic() - started,
        setup_s=setup_done - started,
        agent_s=agent_done - setup_done,
        grade_s=graded.grade_s,
    )
    row = attempt_row(spec, around.sandbox.name, phases, report, done, frozen, graded, ended_by)
    row = row.model_copy(update={"tampering": in_order(seen | graded.tampering), **told})
    checks = (
        ()
        if ended_by in ("cancelled", "infrastructure")
        else check_rows(
            spec.task, graded, run_id=spec.run_id, trial_id=spec.trial_id, attempt=spec.attempt
        )
    )
    return TrialResult(row, checks, artifacts_of(spec, report, done, frozen, graded))


def _fault(error: OSError | EngineError) -> dict[str, Any]:
    error_class = error.error_class if isinstance(error, Infrastructure) else "grading_failed"
    return {"error_class": error_class, "error_message": f"{type(error).__name__}: {error}"}


def _commands(report: AgentReport) -> list[str]:
    """Shell commands of the agent, as far as its events tell."""
    told = (event.get("command") for event in report.events)
    return [command for command in told if isinstance(command, str)]


def _workspace(spec: TrialSpec, around: Surroundings, base: TaskBase, box: Box) -> Snapshot:
    copy_workspace(base, box.workspace)

    def setup() -> None:
        for command in spec.task.task.setup:
            _setup_command(spec, around, box, command)

    objects = box.workspace.with_name("objects")
    return start_snapshot(base, box.workspace, objects, setup if spec.task.task.setup else None)


def _setup_command(spec: TrialSpec, around: Surroundings, box: Box, command: str) -> None:
    done = run_in(
        around.sandbox,
        box,
        Command(["sh", "-c", command], spec.task.task.env),
        bounds=Bounds(timeout_s=SETUP_TIMEOUT_S, max_processes=MAX_PROCESSES),
        cancel=around.cancel,
    )
    if done.exit_code != 0 or done.stopped_by:
        tail = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-600:]
        raise Infrastructure(
            f"A setup command ended with {done.stopped_by or done.exit_code}: {tail}",
            f"task {spec.task.task.id}: {command}",
            "mend `setup` of the task, or the program it needs",
            "setup_failed",
        )


def _run_agent(spec: TrialSpec, around: Surroundings, box: Box) -> tuple[AgentReport, Finished]:
    agent = make_agent(spec.arm.agent_spec, tuple(Path(path) for path in spec.arm.files))
    job = Job(spec.task, spec.repeat, spec.seed, spec.arm)
    view = around.sandbox.view(box)
    launch = agent.launch(job, view)
    for name, data in {"prompt.md": spec.task.prompt.encode(), **launch.files}.items():
        (box.inputs / name).write_bytes(data)
    (box.home / ".gitconfig").write_text(
        "[user]\n\tname = agent\n\temail = agent@localhost\n[safe]\n\tdirectory = *\n"
    )
    env = {
        **spec.task.task.env,
        "AGENTEVAL_ANSWER": f"{view.home}/{ANSWER_NAME}",
        **({"AGENTEVAL_MODEL": spec.arm.model} if spec.arm.model else {}),
        **launch.env,
    }
    box = replace(box, read_only=(*box.read_only, *launch.read_only))
    limits = spec.task.task
    done = run_in(
        around.sandbox,
        box,
        Command(launch.argv, env),
        bounds=Bounds(
            timeout_s=limits.timeout_s,
            no_progress_s=limits.no_progress_s,
            max_output_bytes=limits.max_output_bytes or OUTPUT_LIMIT,
            memory_mb=limits.memory_mb,
            max_processes=limits.max_processes or MAX_PROCESSES,
            disk_mb=limits.disk_mb,
        ),
        cancel=around.cancel,
        on_output=around.on_output,
    )
    output = Output(done.exit_code, done.stdout, done.stderr, _answer_file(box.home / ANSWER_NAME))
    return agent.report(job, output), done


def _answer_file(path: Path) -> bytes | None:
    """Contents of the answer file; a link, folder or FIFO is no answer."""
    try:
        return read_regular(path, ANSWER_LIMIT)
    except OSError:
        return None
