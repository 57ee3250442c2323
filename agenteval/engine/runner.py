"""Running a plan: bounded concurrency, one writer, resume, and a clean stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from agenteval.engine.base import Bases
from agenteval.engine.executors import thread_executor
from agenteval.engine.interrupt import on_interrupt
from agenteval.engine.journal import JournalWriter
from agenteval.engine.manifest import manifest_of, settle_manifest
from agenteval.engine.plan import Plan, remaining
from agenteval.engine.rows import blank_row
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.trial import Surroundings, run_trial
from agenteval.errors import InvalidInput
from agenteval.records import AttemptRow, StoreFolder, decide
from agenteval.sandbox import Sandbox


@dataclass(frozen=True)
class Settings:
    """How a plan is carried out.

    Attributes
    ----------
    store
        Folder of the store.
    sandbox
        Isolation.
    concurrency
        Trials at one time, at least 1.
    command
        Command line that reproduces the run.
    suite_path
        Where the suite lies.
    keep
        Folder to leave the workspaces in; None removes them.
    """

    store: Path
    sandbox: Sandbox
    concurrency: int = 1
    command: str | None = None
    suite_path: Path | None = None
    keep: Path | None = None


@dataclass
class RunResult:
    """What a call of `run_plan` did.

    Attributes
    ----------
    run_id
        Id of the run.
    held_before
        Trials settled before this call.
    attempts
        Records written by this call, in the order they ended.
    interrupted
        Whether it was stopped before the plan was complete.
    notes
        Sentences for people, such as a repaired journal.
    """

    run_id: str
    held_before: int
    attempts: list[AttemptRow] = field(default_factory=list)
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Progress:
    """Tells a listener how a run goes; every hook is optional."""

    planned: Callable[[int, int], None] = lambda total, held: None
    started: Callable[[TrialSpec], None] = lambda spec: None
    finished: Callable[[AttemptRow], None] = lambda row: None
    note: Callable[[str], None] = lambda text: None


def run_plan(plan: Plan, settings: Settings, progress: Progress | None = None) -> RunResult:
    """Carry out what the run does not hold yet.

    Calling it again with the same plan resumes: a trial whose line is written never runs again.
    Ctrl-C stops the running trials and records them as cancelled; resume runs them. A second one
    gives up at once.

    Raises
    ------
    RunLocked
        When another process writes this run.
    InvalidInput
        When the run on disk was planned otherwise.
    """
    if settings.concurrency < 1:
        raise InvalidInput(
            f"Concurrency {settings.concurrency} runs nothing",
            "--concurrency",
            "give a number of at least 1",
        )
    progress = progress or Progress()
    store = StoreFolder(settings.store)
    store.create()
    folder = store.run(plan.run_id)
    manifest = manifest_of(
        plan,
        sandbox=settings.sandbox.name,
        concurrency=settings.concurrency,
        command=settings.command,
        suite_path=settings.suite_path,
    )
    with (
        JournalWriter(folder) as journal,
        scratch_folder(settings.keep, keep=settings.keep is not None) as scratch,
    ):
        settle_manifest(folder, manifest)
        todo = remaining(plan, journal.held)
        result = RunResult(plan.run_id, plan.size - len(todo))
        for note in [journal.repaired, _bad_lines(journal.held.bad_lines)]:
            if note:
                result.notes.append(note)
                progress.note(note)
        progress.planned(plan.size, result.held_before)
        around = Surroundings(
            settings.sandbox,
            Bases(scratch / "bases"),
            scratch,
            hidden=(store.path,),
            cancel=threading.Event(),
            keep=settings.keep is not None,
        )
        loop = _Loop(todo, settings.concurrency, around, journal, result, progress)
        with on_interrupt(loop.stop):
            loop.run()
    return result


class _Loop:
    """Keeps `concurrency` trials in flight; only this thread writes."""

    def __init__(
        self,
        todo: list[TrialSpec],
        concurrency: int,
        around: Surroundings,
        journal: JournalWriter,
        result: RunResult,
        progress: Progress,
    ) -> None:
        self.todo = iter(todo)
        self.concurrency, self.around, self.journal = concurrency, around, journal
        self.result, self.progress = result, progress
        self.running: dict[Future[TrialResult], TrialSpec] = {}

    def run(self) -> None:
        with thread_executor(self.concurrency) as executor:
            try:
                self._fill(executor)
                while self.running:
                    self._take(wait(self.running, return_when=FIRST_COMPLETED).done)
                    self._fill(executor)
            except BaseException:
                # whatever stops us (a full disk, a second Ctrl-C), no process outlives the run
                self.stop()
                raise

    def stop(self) -> None:
        """Start no more trials and cancel those that run."""
        self.result.interrupted = True
        if self.around.cancel is not None:
            self.around.cancel.set()

    def _fill(self, executor: Executor) -> None:
        while len(self.running) < self.concurrency and not self.result.interrupted:
            spec = next(self.todo, None)
            if spec is None:
                return
            spec = replace(spec, concurrent_trials=len(self.running) + 1)
            self.progress.started(spec)
            self.running[executor.submit(run_trial, spec, self.around)] = spec

    def _take(self, done: set[Future[TrialResult]]) -> None:
        for future in done:
            spec = self.running.pop(future)
            error = future.exception()
            result = (
                future.result() if error is None else _fault(spec, error, self.around.sandbox.name)
            )
            self.journal.append(result)
            self.result.attempts.append(result.attempt)
            self.progress.finished(result.attempt)


def _fault(spec: TrialSpec, error: BaseException, sandbox: str) -> TrialResult:
    """A fault of the engine itself is infrastructure: it says nothing about the agent."""
    outcome = decide(ended_by="infrastructure", infrastructure="engine_fault")
    row = blank_row(spec, outcome, f"{type(error).__name__}: {error}", sandbox, datetime.now(UTC))
    return TrialResult(row.model_copy(update={"ended_by": "infrastructure"}))


def _bad_lines(numbers: list[int]) -> str | None:
    if not numbers:
        return None
    listed = ", ".join(map(str, numbers[:5]))
    return f"{len(numbers)} lines of the journal are not records (line {listed}); their trials run again"
