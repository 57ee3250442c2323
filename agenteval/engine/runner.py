"""Running a plan: bounded concurrency, one writer, resume, and a clean stop."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import gettempdir

from agenteval.engine.base import Bases
from agenteval.engine.breaker import Breaker
from agenteval.engine.budget import Budget
from agenteval.engine.diskspace import (
    check_needs,
    record_bytes,
    scratch_need,
    store_need,
    writing_to,
)
from agenteval.engine.executors import DaskTrials, ThreadTrials, Trials
from agenteval.engine.interrupt import on_interrupt
from agenteval.engine.isolation import check_isolation
from agenteval.engine.journal import JournalWriter
from agenteval.engine.judging import check_task_judges
from agenteval.engine.loop import Loop, Rules
from agenteval.engine.manifest import manifest_of, settle_manifest
from agenteval.engine.model_access import Models, check_models, open_models
from agenteval.engine.plan import Plan, failed_attempts, remaining
from agenteval.engine.progress import Progress
from agenteval.engine.quarantine import set_aside
from agenteval.engine.replays import check_recordings, check_trials
from agenteval.engine.retries import check_classes
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.secrets import with_masked_labels, with_passed
from agenteval.engine.settings import RunResult, Settings
from agenteval.engine.spec import TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.variants import check_variants
from agenteval.errors import InvalidInput
from agenteval.records import RunFolder, RunManifest, Standing, StoreFolder
from agenteval.suite import LoadedTask


def run_plan(plan: Plan, settings: Settings, progress: Progress | None = None) -> RunResult:
    """Carry out what the run does not hold yet.

    Calling it again with the same plan resumes: a trial whose line is written never runs again.
    Ctrl-C lets the running trials finish for `grace_s`, then records them as cancelled; resume runs
    them. A second one gives up at once.

    Raises
    ------
    RunLocked
        When another process writes this run.
    InvalidInput
        When the run on disk was planned otherwise, or the budget cannot pay for the plan.
    DiskFull
        When there is too little space for the plan, or none to go on with: what is written stays,
        what ran is recorded as cancelled, and the same call resumes.
    """
    if settings.concurrency < 1:
        raise InvalidInput(
            f"Concurrency {settings.concurrency} runs nothing",
            "--concurrency",
            "give a number of at least 1",
        )
    alike = _refuse_unfit(plan, settings)
    store, progress = StoreFolder(settings.store), progress or Progress()
    folder = store.run(plan.run_id)
    size = plan.size if settings.shard is None else settings.shard.size(plan.size)
    new = not folder.journal.exists()
    notes = _preflight(settings, folder, plan.tasks, size, []) if new else []
    with writing_to(store.path):
        store.create()
    manifest = manifest_for(plan, settings)
    with (
        JournalWriter(folder) as journal,
        scratch_folder(settings.keep, keep=settings.keep is not None) as scratch,
        ExitStack() as stack,
    ):
        settle_manifest(folder, manifest)
        todo = with_masked_labels(_todo(plan, settings, journal), settings.passed)
        result = RunResult(plan.run_id, size - len(todo))
        todo, result.set_aside = set_aside(todo, journal, settings.sandbox.name)
        held = journal.held.rows
        if not new:
            notes = _preflight(settings, folder, [spec.task for spec in todo], len(todo), held)
        for note in [journal.repaired, _bad_lines(journal.held.bad_lines), *alike, *notes]:
            if note:
                result.notes.append(note)
                progress.note(note)
        local = () if settings.cluster else plan.arms  # workers have gateways of their own
        models = stack.enter_context(open_models(local, settings.models, scratch))
        rules = Rules(
            settings.retries,
            Breaker(settings.pause_after),
            Budget.of(settings.limits, size, todo, held),
            settings.grace_s,
            folders=(journal.place.path, scratch),
        )
        progress.planned(size, result.held_before)
        loop = Loop(
            todo,
            stack.enter_context(closing(_executor(settings, store, scratch, models))),
            journal,
            rules,
            progress,
            failed={} if settings.again else failed_attempts(journal.held),
            started=len(held),
            sandbox=settings.sandbox.name,
        )
        progress.stoppable(loop.stop)
        with on_interrupt(loop.stop):
            outcome = loop.run()
    result.attempts, result.interrupted, result.short = (
        [*result.set_aside, *outcome.attempts],
        outcome.interrupted,
        outcome.short,
    )
    if rules.budget.unmetered:
        arms = ", ".join(sorted(rules.budget.unmetered))
        result.notes.append(
            f"nobody measured what {arms} cost: the budget took each trial at its whole part"
        )
        progress.note(result.notes[-1])
    result.rounds, result.paused = loop.rounds(plan.repeats), rules.breaker.paused
    return result


def manifest_for(plan: Plan, settings: Settings) -> RunManifest:
    """The manifest that a run of the plan gets under these settings."""
    manifest = manifest_of(
        plan,
        sandbox=settings.sandbox.name,
        concurrency=settings.concurrency,
        command=settings.command,
        suite_path=settings.suite_path,
        budget=settings.limits.recorded,
        models=settings.models,
    )
    told = {"judge": dict(settings.judge), "caps": dict(settings.caps)}
    manifest = manifest.model_copy(update=told)
    return with_passed(manifest, settings.passed)


def _refuse_unfit(plan: Plan, settings: Settings) -> list[str]:
    """Refuse what cannot be carried out; what has to be said of the rest."""
    check_isolation(plan.tasks, settings.sandbox)
    check_task_judges(plan.tasks)
    check_models(plan.arms, settings.models)
    if not StoreFolder(settings.store).run(plan.run_id).journal.exists():
        check_variants(plan.tasks, plan.arms)
    return check_recordings(plan, settings)


def _todo(plan: Plan, settings: Settings, journal: JournalWriter) -> list[TrialSpec]:
    """What is to be run, in order."""
    again = check_classes(settings.again)
    todo = remaining(plan, journal.held, retries=settings.retries.limit, again=again)
    if again:
        lost = {row.trial_id for row in journal.held.rows if row.error_class in again}
        todo = [spec for spec in todo if spec.trial_id in lost]
    todo = todo if settings.shard is None else settings.shard.of(plan, todo)
    check_trials(todo, settings.models)
    return todo


def _preflight(
    settings: Settings,
    folder: RunFolder,
    tasks: Sequence[LoadedTask],
    trials: int,
    held: Sequence[Standing],
) -> list[str]:
    """Warnings about disk space; raises DiskFull where it is clearly too small."""
    if settings.ignore_disk:
        return []
    needs = {folder.path: store_need(trials, record_bytes(folder, held))}
    if settings.cluster is None:
        here = settings.keep or Path(gettempdir())
        needs[here] = scratch_need(tasks, min(settings.concurrency, trials))
    return check_needs(needs)


def _executor(
    settings: Settings, store: StoreFolder, scratch: Path, models: Models | None
) -> Trials:
    if settings.cluster is not None:
        return DaskTrials(
            settings.cluster,
            settings.concurrency,
            settings.sandbox.name,
            hidden=(store.path.resolve(),),
            passed=settings.passed,
            models=settings.models,
        )
    around = Surroundings(
        settings.sandbox,
        Bases(scratch / "bases"),
        scratch,
        hidden=(store.path,),
        cancel=threading.Event(),
        keep=settings.keep is not None,
        passed=settings.passed,
        judge_cache=store.judge_cache,
        models=models,
    )
    return ThreadTrials(around, settings.concurrency)


def _bad_lines(numbers: list[int]) -> str | None:
    if not numbers:
        return None
    listed = ", ".join(map(str, numbers[:5]))
    return f"{len(numbers)} lines of the journal are not records (line {listed}); a trial of which no record is left runs again"
