"""A run graded again: stored patches, today's checks, no agent; new records beside the old ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.again import suite_of
from agenteval.engine.base import Bases
from agenteval.engine.interrupt import on_interrupt
from agenteval.engine.isolation import check_isolation
from agenteval.engine.journal import JournalWriter
from agenteval.engine.judging import check_task_judges
from agenteval.engine.regraded import Refused, Regraded, RegradeResult, disagreements
from agenteval.engine.regrading import digest_after, grade_again, refusal, standing
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult
from agenteval.engine.surroundings import Surroundings
from agenteval.errors import InvalidInput
from agenteval.records import (
    PATCH,
    Arm,
    RunFolder,
    RunManifest,
    StoreFolder,
    TaskRow,
    TrialBlock,
    read_journal,
    read_manifest,
)
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask, select_tasks


@dataclass(frozen=True)
class _Job:
    place: int
    block: TrialBlock
    task: LoadedTask
    folder: Path
    task_digest: str


def regrade_run(
    folder: RunFolder,
    *,
    sandbox: Sandbox,
    suite: Path | None = None,
    tasks: str | None = None,
    times: int = 1,
    concurrency: int = 1,
    write: bool = True,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> RegradeResult:
    """Grade the stored patches of a run again, passes and failures alike.

    Each trial's new check records and its attempt's record with the next `grading` are appended in
    one write; a crash leaves the old grading in force. What cannot be graded keeps the old one.

    Parameters
    ----------
    suite
        Where the suite lies now; where the manifest says when None.
    tasks
        A selection of tasks; there is none by outcome, since grading only failures again would
        turn flaky checks into passes.
    times
        Gradings of each patch. A trial whose checks do not say the same every time keeps its old
        grading: a verdict that depends on the try is none.
    concurrency
        Patches graded at one time.
    write
        False leaves all as it was, and tells what would change.
    on_done
        Called with the number of patches done and of all.

    Raises
    ------
    InvalidInput
        When the run has nothing to grade again, or its suite is gone.
    RunLocked
        When the run is being written.
    """
    if times < 1 or concurrency < 1:
        option = "--times" if times < 1 else "--concurrency"
        raise InvalidInput("Nothing would be graded", option, "give a number of at least 1")
    manifest = read_manifest(folder.manifest)
    loaded = suite_of(_engines_own(manifest, folder), folder, suite)
    chosen = select_tasks(loaded, tasks, holdout=not tasks)
    check_isolation(chosen, sandbox)
    check_task_judges(chosen)
    result = RegradeResult(manifest.run.run_id)
    with scratch_folder() as scratch, ExitStack() as stack:
        if write:
            journal = stack.enter_context(JournalWriter(folder))
            result.notes += [journal.repaired] if journal.repaired else []
        else:
            journal = None
        planned = {row.task_id: row for row in manifest.tasks}
        result.notes += _changed_tasks(chosen, planned)
        stored = read_journal(folder.journal)
        if stored.bad_lines:
            result.notes.append(
                f"{len(stored.bad_lines)} lines of the journal are not records (line {stored.bad_lines[0]}); what they were of is not graded"
            )
        jobs = list(
            _jobs(
                stored.blocks,
                {t.id: t for t in chosen},
                planned,
                folder,
                result,
            )
        )
        around = Surroundings(
            sandbox,
            Bases(scratch / "bases"),
            scratch,
            hidden=(folder.path.parent.parent,),
            cancel=threading.Event(),
            judge_cache=StoreFolder(folder.path.parent.parent).judge_cache,
        )
        arms = {arm.digest: arm for arm in manifest.planned_arms}
        work = _Work(jobs, around, journal, result, times, on_done, arms)
        with on_interrupt(work.stop):
            work.run(concurrency)
    return result


def _engines_own(manifest: RunManifest, folder: RunFolder) -> RunManifest:
    if manifest.run.source != "engine":
        raise InvalidInput(
            f"Run {manifest.run.run_id} was imported ({manifest.run.source}): it holds no patches",
            str(folder.path),
            "import it again after grading it with the tool it came from",
        )
    return manifest


def _changed_tasks(tasks: tuple[LoadedTask, ...], planned: dict[str, TaskRow]) -> list[str]:
    """A sentence for each task that is not what it was when the run was made."""
    told = []
    for task in tasks:
        before = planned[task.id]
        if before.task_digest == task.digest:
            continue
        if digest_after(task, before) == task.digest:
            told.append(f"{task.id}: how it is graded changed since the run")
        else:
            told.append(
                f"{task.id}: more than its grading changed since the run, or the run does not say: "
                "its regraded trials count as a version of the task of their own"
            )
    return told


def _jobs(
    blocks: list[TrialBlock],
    tasks: dict[str, LoadedTask],
    planned: dict[str, TaskRow],
    folder: RunFolder,
    result: RegradeResult,
) -> Iterator[_Job]:
    """What is to be graded; what cannot be goes to `result`."""
    trials: dict[str, list[TrialBlock]] = {}
    for block in blocks:
        if block.attempt.task_id in tasks:
            trials.setdefault(block.attempt.trial_id, []).append(block)
    for place, own in enumerate(trials.values()):
        folders = [folder.attempt(b.attempt.trial_id, b.attempt.attempt) for b in own]
        block = standing(own, ((path / PATCH).is_file() for path in folders))
        row, task = block.attempt, tasks[block.attempt.task_id]
        artifacts = folder.attempt(row.trial_id, row.attempt)
        refused = refusal(row, artifacts, task)
        if refused is None:
            yield _Job(place, block, task, artifacts, digest_after(task, planned[task.id]))
        else:
            result.refused.append(refused)


class _Work:
    """Keeps `concurrency` patches in grading; only this thread writes."""

    def __init__(
        self,
        jobs: list[_Job],
        around: Surroundings,
        journal: JournalWriter | None,
        result: RegradeResult,
        times: int,
        on_done: Callable[[int, int], None],
        arms: Mapping[str, Arm],
    ) -> None:
        self.arms = arms
        self.jobs, self.around, self.journal = jobs, around, journal
        self.result, self.times, self.on_done = result, times, on_done
        self._done: dict[int, Regraded] = {}

    def stop(self) -> None:
        """Grade nothing more; what is being graded is not written."""
        self.result.interrupted = True
        if self.around.cancel is not None:
            self.around.cancel.set()

    def run(self, concurrency: int) -> None:
        todo, number = iter(self.jobs), 0
        running: dict[Future[list[TrialResult] | Refused], _Job] = {}
        with ThreadPoolExecutor(concurrency, thread_name_prefix="regrade") as pool:
            try:
                while True:
                    while len(running) < concurrency and not self.result.interrupted:
                        job = next(todo, None)
                        if job is None:
                            break
                        running[pool.submit(self._grade, job)] = job
                    if not running:
                        break
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        job, number = running.pop(future), number + 1
                        self._take(job, future.result())
                        self.on_done(number, len(self.jobs))
            except BaseException:
                self.stop()
                raise
        self.result.regraded = [self._done[place] for place in sorted(self._done)]

    def _grade(self, job: _Job) -> list[TrialResult] | Refused:
        return grade_again(
            job.block,
            job.task,
            job.folder,
            self.around,
            task_digest=job.task_digest,
            times=self.times,
            arm=self.arms.get(job.block.attempt.arm_digest),
        )

    def _take(self, job: _Job, found: list[TrialResult] | Refused) -> None:
        if self.result.interrupted:
            return  # a check that was cut short says nothing
        if isinstance(found, Refused):
            self.result.refused.append(found)
            return
        unsteady = disagreements(job.block.attempt, found)
        self.result.unsteady += unsteady
        if unsteady:
            return
        if self.journal is not None:
            self.journal.append(found[0])
            self.result.written = True
        after = TrialBlock(found[0].attempt, found[0].checks)
        self._done[job.place] = Regraded(job.block, after)
