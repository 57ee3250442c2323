"""The loop of a run: bounded concurrency, retries, budget, breaker; the one thread that writes."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from agenteval.engine.breaker import Breaker
from agenteval.engine.budget import Budget
from agenteval.engine.diskspace import check_reserve, full_disk
from agenteval.engine.executors import Trials
from agenteval.engine.journal import JournalWriter
from agenteval.engine.progress import Progress
from agenteval.engine.retries import Retries, may_run_again
from agenteval.engine.rows import blank_row
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.errors import DiskFull, Infrastructure
from agenteval.records import AttemptRow, TrialBlock, decide, is_held


@dataclass
class Rules:
    """What decides whether, and when, a trial is started.

    Attributes
    ----------
    retries, breaker, budget
        The rules.
    grace_s
        Seconds that running trials get after the first Ctrl-C before they are cancelled.
    folders
        Folders whose file systems must keep a reserve: nothing is started below it.
    """

    retries: Retries
    breaker: Breaker
    budget: Budget
    grace_s: float = 10.0
    folders: tuple[Path, ...] = ()


@dataclass
class Outcome:
    """What came of the loop.

    Attributes
    ----------
    attempts
        Records written, in the order they ended.
    interrupted
        Whether somebody stopped it.
    short
        Why the budget stopped it; None when it did not.
    """

    attempts: list[AttemptRow] = field(default_factory=list)
    interrupted: bool = False
    short: str | None = None


class Loop:
    """Keeps as many trials in flight as the executor takes; only its thread writes.

    Parameters
    ----------
    todo
        Attempts to start, in order.
    failed
        Trial id to its failures of the machinery so far, as far as they count against the retries.
    started
        Attempts of the run that were started before.
    sandbox
        Name of the isolation, for the records of attempts that were lost.
    """

    def __init__(
        self,
        todo: Sequence[TrialSpec],
        executor: Trials,
        journal: JournalWriter,
        rules: Rules,
        progress: Progress,
        *,
        failed: Mapping[str, int],
        started: int,
        sandbox: str,
    ) -> None:
        self.todo, self.executor, self.journal = deque(todo), executor, journal
        self.rules, self.progress, self.sequence, self.sandbox = rules, progress, started, sandbox
        self.outcome = Outcome()
        self.open = {spec.trial_id: spec.repeat for spec in todo}
        self._failed = Counter(failed)
        self._running: dict[Future[TrialResult], TrialSpec] = {}
        self._waiting: list[tuple[float, int, TrialSpec]] = []
        self._order = itertools.count()
        self._began = time.monotonic()
        self._resting: dict[str, float] = {}
        self._woken = threading.Event()
        self._timer: threading.Timer | None = None
        self._full: DiskFull | None = None

    def run(self) -> Outcome:
        """Run until nothing is left, or it is stopped.

        Raises
        ------
        DiskFull
            When there was no space to go on; what ran then is recorded as cancelled.
        """
        try:
            while self._step():
                pass
        except BaseException:
            # whatever stops us (a full disk, a second Ctrl-C), no process outlives the run
            self.stop()
            self.executor.cancel()
            raise
        finally:
            if self._timer is not None:
                self._timer.cancel()
        if self._full is not None:
            raise self._full
        return self.outcome

    def stop(self) -> None:
        """Start no more trials; those that run get the grace period, then they are cancelled."""
        self.outcome.interrupted = True
        if self._timer is None:
            self._timer = threading.Timer(self.rules.grace_s, self.executor.cancel)
            self._timer.daemon = True
            self._timer.start()
        self._woken.set()

    def rounds(self, repeats: int) -> int:
        """Repeats of which every trial is settled, of so many in the plan."""
        return min(self.open.values(), default=repeats + 1) - 1

    @property
    def _stopping(self) -> bool:
        return self.outcome.interrupted or self.outcome.short is not None or self._full is not None

    def _step(self) -> bool:
        """Start what can be started, then wait for something to happen; False at the end."""
        self._fill()
        if self._running:
            done = wait(self._running, self._until_due(), return_when=FIRST_COMPLETED).done
            for future in done:
                self._take(future)
            return True
        if self._waiting and not self._stopping:
            due, _, spec = self._waiting[0]
            if not self.rules.budget.has_time(spec, due - self._began):
                self._run_short(spec)
                return False
            self._woken.wait(self._until_due())
            return True
        return False

    def _until_due(self) -> float | None:
        """Seconds until a retry is due and there is room for it; None when nothing is awaited."""
        if not self._waiting or self._stopping or len(self._running) >= self.executor.concurrency:
            return None
        return max(0.0, self._waiting[0][0] - time.monotonic())

    def _fill(self) -> None:
        while len(self._running) < self.executor.concurrency and not self._stopping:
            spec = self._next()
            if spec is None or not self._has_room():
                return
            if not self.rules.budget.reserve(spec, time.monotonic() - self._began):
                self.todo.appendleft(spec)
                if not self._running:  # nothing is in flight that could give a part back
                    self._run_short(spec)
                return
            self.sequence += 1
            spec = replace(spec, sequence=self.sequence, concurrent_trials=len(self._running) + 1)
            self.progress.started(spec)
            self._running[self.executor.submit(spec)] = spec

    def _next(self) -> TrialSpec | None:
        if self._waiting and self._waiting[0][0] <= time.monotonic():
            self.todo.appendleft(heapq.heappop(self._waiting)[2])
        while self.todo:
            spec = self.todo.popleft()
            due = self._resting.get(spec.arm_label, 0.0)
            if due > time.monotonic():
                self._later(spec, due)
            elif spec.arm_label not in self.rules.breaker.paused:
                return spec
        return None

    def _has_room(self) -> bool:
        try:
            check_reserve(*self.rules.folders)
        except DiskFull as error:
            self._halt(error)
            return False
        return True

    def _halt(self, error: DiskFull) -> None:
        """Stop for want of disk space: go on recording what ends, start nothing, then raise."""
        self._full = self._full or error
        self.executor.cancel()

    def _run_short(self, spec: TrialSpec) -> None:
        """Stop for want of budget; what was never tried is recorded as skipped, to be counted."""
        self.outcome.short = reason = self.rules.budget.exhausted(spec)
        self.progress.note(reason)
        skipped = decide(ended_by=None, skipped="budget_used_up")
        now = datetime.now(UTC)
        rows = [
            blank_row(spec, skipped, reason, self.sandbox, now)
            for spec in (*self.todo, *(spec for _, _, spec in sorted(self._waiting)))
            if spec.attempt == 1
        ]
        self.journal.append_blocks([TrialBlock(row) for row in rows])
        self.outcome.attempts += rows

    def _take(self, future: Future[TrialResult]) -> None:
        spec = self._running.pop(future)
        error = future.exception()
        result = future.result() if error is None else _lost(spec, error, self.sandbox)
        self.journal.append(result)
        row = result.attempt
        self.outcome.attempts.append(row)
        self.rules.budget.settle(row)
        if result.disk_full:
            self._halt(full_disk(row.error_message))
        if result.quota_until is not None:
            self._rest(replace(spec, attempt=row.attempt + 1), result.quota_until)
            return
        if may_run_again(row):
            self._failed[row.trial_id] += 1
            if self._failed[row.trial_id] <= self.rules.retries.limit:
                self._again(spec, row)
                return
        self.progress.finished(row)
        if is_held(row.status, row.error_class):
            self.open.pop(row.trial_id, None)
        paused = self.rules.breaker.seen(row)
        if paused is not None:
            self.progress.note(f"arm {row.arm} is paused: {paused}")

    def _again(self, spec: TrialSpec, row: AttemptRow) -> None:
        wait_s = self.rules.retries.wait_s(self._failed[row.trial_id])
        upcoming = replace(spec, attempt=row.attempt + 1)
        self._later(upcoming, time.monotonic() + wait_s)
        if not self._stopping:
            self.progress.note(
                f"{row.task_id} with {row.arm}: attempt {row.attempt} failed in the machinery ({row.error_class}); again in {wait_s:.1f} s"
            )

    def _later(self, spec: TrialSpec, due: float) -> None:
        heapq.heappush(self._waiting, (due, next(self._order), spec))

    def _rest(self, spec: TrialSpec, until: datetime) -> None:
        """Leave an arm alone until its provider's quota is there again; that costs no retry."""
        left_s = max(1.0, (until - datetime.now(UTC)).total_seconds())
        due = time.monotonic() + left_s
        if self._resting.get(spec.arm_label, 0.0) < due - 1:
            self._resting[spec.arm_label] = due
            self.progress.note(
                f"arm {spec.arm_label} is paused until {until.astimezone():%Y-%m-%d %H:%M %Z}: its provider's quota is used up"
            )
        self._later(spec, due)


def _lost(spec: TrialSpec, error: BaseException, sandbox: str) -> TrialResult:
    """An attempt whose place was lost, or a fault of the engine: it says nothing of the agent."""
    if isinstance(error, Infrastructure):
        error_class, message = error.error_class, str(error)
    else:
        error_class, message = "engine_fault", f"{type(error).__name__}: {error}"
    outcome = decide(ended_by="infrastructure", infrastructure=error_class)
    row = blank_row(spec, outcome, message, sandbox, datetime.now(UTC))
    return TrialResult(row.model_copy(update={"ended_by": "infrastructure"}))
