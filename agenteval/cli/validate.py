"""`agenteval validate` asks whether every task is a real test."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.arms import warn_of_forgeable
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
from agenteval.cli.output import count, print_json, print_table, say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import Finding
    from agenteval.sandbox import Sandbox
    from agenteval.suite import LoadedSuite


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
    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Write tests.json anew: the test ids that the reference passes. Done anyway where it is missing.",
        ),
    ] = False,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    pass_env: PassEnvOption = None,
    json: JsonOption = False,
) -> None:
    """Try every task untouched, with nothing done, with each wrong solution and with its reference.

    All but the reference must fail, every time. Exit code 1 when a task is no real test.
    Checks on single tests need the ids that the reference passes: they are recorded first, into
    the task's tests.json, which belongs to the task and is part of its digest.

    Example: agenteval validate bundled --tasks 'tag:demo'
    """
    from agenteval.engine import needs_recording
    from agenteval.engine import validate as try_all
    from agenteval.suite import load_suite

    if repeat < 1:
        raise InvalidInput(f"{repeat} tries are none", "--repeat", "give a number of at least 1")
    folder, isolation = suite_folder(suite), sandbox_of(sandbox, no_sandbox=no_sandbox)
    jobs = default_concurrency() if jobs is None else max(1, jobs)
    refused = _record(
        load_suite(folder, tasks=tasks, unrecorded=True), isolation, repeat, jobs, again=record
    )
    loaded = load_suite(folder, tasks=tasks, unrecorded=True)
    warn_of_forgeable(loaded.tasks)
    findings = refused + try_all(
        tuple(task for task in loaded.tasks if not needs_recording(task)),
        sandbox=isolation,
        repeat=repeat,
        jobs=jobs,
        on_finding=None if json else _tell,
        passed=variables_of(pass_env),
    )
    rows = _rows(findings)
    bad = [row for row in rows if row["verdict"] != "as it should"]
    if json:
        print_json(
            {"ok": not bad, "tasks": len(loaded.tasks), "tries": len(findings), "solutions": rows}
        )
    else:
        print_table(rows, ["task", "solution", "should", "came out", "failing checks", "verdict"])
        print(
            f"{count(len(loaded.tasks), 'task')}, {len(findings)} tries: "
            + (
                "every task is a real test"
                if not bad
                else f"{count(len(bad), 'solution')} did not come out as it should"
            )
        )
    if bad:
        raise typer.Exit(1)


def _record(
    loaded: LoadedSuite, sandbox: Sandbox, repeat: int, jobs: int, *, again: bool
) -> list[Finding]:
    """Record test ids where they are missing, or everywhere; what cannot be recorded is a finding."""
    from agenteval.engine import Finding, needs_recording, record_tests
    from agenteval.suite import write_recorded

    chosen = [task for task in loaded.tasks if again or needs_recording(task)]
    refused = []
    for done in record_tests(chosen, sandbox=sandbox, repeat=max(2, repeat), jobs=jobs):
        if done.tests is not None:
            path = write_recorded(done.task.folder, done.tests)
            count = sum(map(len, done.tests.values()))
            say(f"{done.task.id}: {count} test ids recorded in {path.name}")
        if done.problem is not None:
            say(f"{done.task.id}: {done.problem}")
        if done.tests is None:
            refused.append(
                Finding(
                    done.task.id,
                    "recording",
                    1,
                    should_pass=True,
                    status="fail",
                    failing=(),
                    detail=done.problem or "",
                    seconds=None,
                )
            )
    return refused


def _tell(finding: Finding) -> None:
    if not finding.ok:
        wanted = "pass" if finding.should_pass else "fail"
        say(
            f"{finding.task_id}, {finding.solution}, try {finding.repeat}: should {wanted}, came to {_came_out(finding)}: {finding.detail}"
        )


def _rows(findings: list[Finding]) -> list[dict[str, object]]:
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.task_id, finding.solution].append(finding)
    rows: list[dict[str, object]] = []
    for (task, solution), tries in groups.items():
        came_out = [_came_out(f) for f in tries]
        flaky = len(set(came_out)) > 1
        verdict = "flaky" if flaky else "as it should" if all(f.ok for f in tries) else "WRONG"
        rows.append(
            {
                "task": task,
                "solution": solution,
                "should": "pass" if tries[0].should_pass else "fail",
                "came out": ", ".join(came_out),
                "failing checks": sorted({name for f in tries for name in f.failing}),
                "verdict": verdict,
                "seconds": max((f.seconds or 0.0) for f in tries),
            }
        )
    return sorted(rows, key=lambda row: str(row["task"]))


def _came_out(finding: Finding) -> str:
    if finding.status is None and "no reference solution" in finding.detail:
        return "there is none yet"
    return str(finding.status or "infrastructure")
