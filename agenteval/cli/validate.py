"""`agenteval validate` asks whether every task is a real test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.arms import warn_of_forgeable
from agenteval.cli.experiment import is_experiment
from agenteval.cli.options import (
    JsonOption,
    NoSandboxOption,
    PassEnvOption,
    SandboxOption,
    SuiteArgument,
    TasksOption,
    default_concurrency,
    sandbox_of,
    suite_folder,
    variables_of,
)
from agenteval.cli.output import print_json, say
from agenteval.cli.validate_recording import record
from agenteval.cli.validate_told import came_out, facts_of, rows_of, show
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import Finding

MEMORY = Path(".agenteval/validated.json")


def validate(
    suite: SuiteArgument = None,
    *,
    tasks: TasksOption = None,
    repeat: Annotated[int, typer.Option("--repeat", help="Times each solution is tried.")] = 3,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", help="Tries at one time; one a core by default.", show_default=False
        ),
    ] = None,
    record_anew: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Write tests.json anew: the test ids that the reference passes. Done anyway where it is missing.",
        ),
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Also try tasks that were validated before and have not changed since."
        ),
    ] = False,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    pass_env: PassEnvOption = None,
    json: JsonOption = False,
) -> None:
    """Try every task untouched, with nothing done, with each wrong solution and with its reference.

    All but the reference must fail, every time, and nothing of the hidden tests may stand in what
    the agent is given. Named beside that: checks that pass everywhere or nowhere, what comes out
    differently from try to try, names that hidden tests use and nobody tells, slow grading. A task
    that was validated and has not changed is not tried again. Exit code 1 when a task is no real test.

    Checks on single tests need the ids that the reference passes: they are recorded first, into
    the task's tests.json, which belongs to the task and is part of its digest.

    Example: agenteval validate bundled --tasks 'tag:demo'
    """
    from agenteval.engine import assess, needs_recording, read_validated, validation_key
    from agenteval.engine import validate as try_all
    from agenteval.suite import load_suite

    _refuse_nonsense(repeat, jobs, sandbox, no_sandbox=no_sandbox)
    (folder, tasks), isolation = _asked(suite, tasks), sandbox_of(sandbox, no_sandbox=no_sandbox)
    jobs = default_concurrency() if jobs is None else jobs
    recorded = record(
        load_suite(folder, tasks=tasks, unrecorded=True), isolation, repeat, jobs, anew=record_anew
    )
    loaded = load_suite(folder, tasks=tasks, unrecorded=True)
    skipped = {task.id: task.task.skip for task in loaded.tasks if task.task.skip is not None}
    warn_of_forgeable(loaded.tasks)
    memory = read_validated(MEMORY)
    keys = {
        task.id: validation_key(task, isolation)
        for task in loaded.tasks
        if task.id not in skipped and not needs_recording(task)
    }
    known = [name for name, key in keys.items() if not again and memory.holds(key, repeat)]
    chosen = tuple(task for task in loaded.tasks if task.id in keys and task.id not in known)
    findings = recorded.refused + try_all(
        chosen,
        sandbox=isolation,
        repeat=repeat,
        jobs=jobs,
        on_finding=None if json else _tell,
        passed=variables_of(pass_env),
    )
    assessments = [assess(task, findings) for task in chosen]
    rows = rows_of(findings)
    bad = {row["task"] for row in rows if row["verdict"] != "as it should"}
    odd = {each.task_id for each in assessments if not each.ok}
    good = [keys[task.id] for task in chosen if task.id not in bad | odd]
    if good:
        (MEMORY.parent).mkdir(exist_ok=True)
        (MEMORY.parent / ".gitignore").write_text("*\n")
        memory.with_tasks(good, repeat)
    if json:
        print_json(
            {
                "ok": not bad and not odd,
                "tasks": len(loaded.tasks),
                "tries": len(findings),
                "remembered": known,
                "skipped": skipped,
                "vanished": recorded.vanished,
                "solutions": rows,
                "assessments": facts_of(assessments),
            }
        )
    else:
        show(rows, assessments, known, len(findings), skipped)
    if bad or odd:
        raise typer.Exit(1)


def _asked(suite: Path | None, tasks: str | None) -> tuple[Path, str | None]:
    """Folder and selection: of the command line, or of the experiment that it names."""
    from agenteval.suite import load_experiment

    if suite is None or not is_experiment(suite):
        return suite_folder(suite), tasks
    experiment = load_experiment(suite)
    return suite_folder(Path(experiment.suite)), tasks or experiment.experiment.tasks or "*"


def _refuse_nonsense(repeat: int, jobs: int | None, sandbox: str, *, no_sandbox: bool) -> None:
    if repeat < 1:
        raise InvalidInput(f"{repeat} tries are none", "--repeat", "give a number of at least 1")
    if jobs is not None and jobs < 1:
        raise InvalidInput(
            f"{jobs} tries at one time are none", "--jobs", "give a number of at least 1"
        )
    if no_sandbox and sandbox not in ("auto", "plain"):
        raise InvalidInput(
            f"--no-sandbox contradicts --sandbox {sandbox}", "--no-sandbox", "give one of the two"
        )


def _tell(finding: Finding) -> None:
    if not finding.ok:
        wanted = "pass" if finding.should_pass else "fail"
        say(
            f"{finding.task_id}, {finding.solution}, try {finding.repeat}: should {wanted}, came to {came_out(finding)}: {finding.detail}"
        )
