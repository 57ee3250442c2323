"""Is every task a real test? Untouched, doing nothing and each wrong solution must fail; the reference must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.base import Bases
from agenteval.engine.grade import grade
from agenteval.engine.isolation import check_isolation
from agenteval.engine.preflight import without_unmetered
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial
from agenteval.errors import AgentEvalError
from agenteval.records import STDERR, Arm, Status, check_label, digest, trial_id
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask

Case = tuple[LoadedTask, str, int]


@dataclass(frozen=True)
class Finding:
    """One solution of one task, tried once.

    Attributes
    ----------
    task_id
        Task.
    solution
        `untouched`, `noop`, `reference`, or the name of a wrong solution.
    repeat
        Number of the try, from 1.
    should_pass
        Whether a real test lets it pass.
    status
        What it came to; None when the machinery failed.
    failing
        Names of the checks that did not pass.
    detail
        A line for people.
    seconds
        Time the grading took.
    carried_out
        Whether the solution could be laid into the workspace; one that could not proves nothing.
    """

    task_id: str
    solution: str
    repeat: int
    should_pass: bool
    status: str | None
    failing: tuple[str, ...]
    detail: str
    seconds: float | None
    carried_out: bool = True

    @property
    def ok(self) -> bool:
        """Whether it came out as it should."""
        if self.status is None or not self.carried_out:
            return False
        return (self.status == Status.PASS) == self.should_pass and self.status != Status.SKIPPED


def validate(
    tasks: tuple[LoadedTask, ...],
    *,
    sandbox: Sandbox,
    repeat: int = 3,
    jobs: int = 1,
    on_finding: Callable[[Finding], None] | None = None,
    passed: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Try every solution of every task `repeat` times, through the same path as any trial.

    Checks on records that nobody meters of a scripted solution are left out.

    Parameters
    ----------
    jobs
        Tries at one time.
    on_finding
        Called with each finding as it comes.
    passed
        Variables of the operator's for the agent, as in a run.

    Raises
    ------
    InvalidInput, SandboxError
        When the sandbox cannot carry out some task.
    """
    check_isolation(tasks, sandbox)
    findings = []
    with scratch_folder() as scratch, ThreadPoolExecutor(jobs) as pool:
        around = Surroundings(sandbox, Bases(scratch / "bases"), scratch, passed=passed or {})
        cases = [
            case
            for number in range(1, repeat + 1)
            for task in map(without_unmetered, tasks)
            for case in _cases(task, number)
        ]
        for finding in pool.map(lambda case: _try(case, around, scratch), cases):
            findings.append(finding)
            if on_finding is not None:
                on_finding(finding)
    return findings


def _cases(task: LoadedTask, number: int) -> Iterator[Case]:
    solved = task.solution_patch is not None or task.solution_answer is not None
    # without a reference there is nothing to repeat: it is said once
    reference = ("reference",) if solved or number == 1 else ()
    yield from (
        (task, name, number)
        for name in ("untouched", "noop", *(w.name for w in task.wrong), *reference)
    )


def _try(case: Case, around: Surroundings, scratch: Path) -> Finding:
    task, solution, number = case
    should_pass = solution == "reference"
    try:
        if solution == "untouched":
            return _untouched(task, number, around, scratch)
        result = run_trial(solution_spec(task, solution, number), around)
    except AgentEvalError as error:
        return Finding(task.task.id, solution, number, should_pass, None, (), str(error), None)
    row = result.attempt
    failing = tuple(check.name for check in result.checks if not check.passed)
    status = None if row.passed is None and row.status == Status.ERROR else str(row.status)
    detail = row.error_message or next((c.detail or "" for c in result.checks if not c.passed), "")
    undone = _not_carried_out(task, solution, result)
    return Finding(
        task.task.id,
        solution,
        number,
        should_pass,
        status,
        failing,
        undone or detail,
        row.grade_s,
        carried_out=undone is None,
    )


def _not_carried_out(task: LoadedTask, solution: str, result: TrialResult) -> str | None:
    """Why the solution never came into the workspace; None when it did, or the machinery failed.

    A check that gives no verdict makes an `error` as well, and says something about the solution.
    """
    ended_by = result.attempt.ended_by
    if ended_by in (None, "agent", "infrastructure", "cancelled"):
        return None
    wrong = next((each for each in task.wrong if each.name == solution), None)
    patch = task.solution_patch if wrong is None else wrong.patch
    if ended_by != "crash" or patch is None or solution == "noop":
        return f"{solution} was not carried out: {result.attempt.error_message or ended_by}"
    told = result.artifacts.get(STDERR, b"").decode("utf-8", "replace").strip()
    said = f": {told.splitlines()[0][:300]}" if told else ""
    return f"{patch.relative_to(task.folder).as_posix()} does not apply{said}"


def solution_spec(task: LoadedTask, solution: str, number: int) -> TrialSpec:
    """A trial of one of a task's own solutions: `noop`, `reference` or a wrong one by its name."""
    spec_name = solution if solution in ("noop", "reference") else f"wrong:{solution}"
    arm = Arm(agent_spec=f"scripted:{spec_name}")
    return TrialSpec(
        run_id="validate",
        trial_id=trial_id("validate", "", task.task.id, arm.digest, number),
        suite="",
        task=task,
        arm=arm,
        arm_label=solution,
        repeat=number,
        seed=0,
    )


def _untouched(task: LoadedTask, number: int, around: Surroundings, scratch: Path) -> Finding:
    sandbox = around.sandbox_of(task)
    base = around.bases.get(task, sandbox)
    folder = scratch / "untouched" / f"{digest(task.task.id)}-{number}"
    graded = grade(task, base.start, base.start.tree, sandbox=sandbox, folder=folder)
    named = [
        (check_label(c, seq), v)
        for seq, (c, v) in enumerate(zip(task.task.checks, graded.verdicts, strict=True), 1)
    ]
    failing = tuple(name for name, verdict in named if not verdict.passed)
    status = Status.FAIL if failing else Status.PASS
    detail = next((verdict.detail for _, verdict in named if not verdict.passed), "")
    return Finding(
        task.task.id,
        "untouched",
        number,
        should_pass=False,
        status=str(status),
        failing=failing,
        detail=detail,
        seconds=graded.grade_s,
    )
