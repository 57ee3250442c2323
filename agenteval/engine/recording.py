"""Recording test ids: which single tests the reference solution of a task passes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from agenteval.engine.base import Bases
from agenteval.engine.grade import tests_artifact
from agenteval.engine.isolation import check_isolation
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial
from agenteval.engine.validate import solution_spec
from agenteval.errors import AgentEvalError
from agenteval.records import CheckRow, HiddenTestsCheck, JudgeCheck
from agenteval.sandbox import Sandbox
from agenteval.suite import LoadedTask, recorded_checks

Ids = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Recording:
    """What the reference solution of one task passed.

    Attributes
    ----------
    task
        The task, as it was loaded.
    tests
        Check name -> ids, sorted; None when they cannot be recorded.
    problem
        Why not; or, beside ids, what was left out. None when all is well.
    """

    task: LoadedTask
    tests: Ids | None
    problem: str | None = None


def needs_recording(task: LoadedTask) -> bool:
    """Whether a check of the task lacks recorded ids."""
    return any(check.name not in task.recorded for check in recorded_checks(task.task))


def record_tests(
    tasks: Iterable[LoadedTask], *, sandbox: Sandbox, repeat: int = 2, jobs: int = 1
) -> list[Recording]:
    """Run the reference solution of each task through a trial and take down what passed.

    Parameters
    ----------
    tasks
        Those without a check on single tests are left out.
    repeat
        Times the reference runs; the ids must be the same every time.
    jobs
        Tasks at one time.

    Raises
    ------
    InvalidInput, SandboxError
        When the sandbox cannot carry out some task.
    """
    chosen = [task for task in tasks if recorded_checks(task.task)]
    check_isolation(chosen, sandbox)
    with scratch_folder() as scratch, ThreadPoolExecutor(jobs) as pool:
        around = Surroundings(sandbox, Bases(scratch / "bases"), scratch)
        return list(pool.map(lambda task: _record(task, around, repeat), chosen))


def _record(task: LoadedTask, around: Surroundings, repeat: int) -> Recording:
    # what a judge would say records no test
    checks = [check for check in task.task.checks if not isinstance(check, JudgeCheck)]
    bare = replace(task, recorded={}, task=task.task.model_copy(update={"checks": checks}))
    tries: list[Ids] = []
    left_out: set[str] = set()
    for number in range(1, repeat + 1):
        try:
            result = run_trial(solution_spec(bare, "reference", number), around)
        except AgentEvalError as error:
            return Recording(task, None, str(error))
        found: Ids = {}
        for seq, check in enumerate(bare.task.checks, 1):
            if check not in recorded_checks(bare.task):
                continue
            row = next((row for row in result.checks if row.seq == seq), None)
            if row is None or not row.passed:
                return Recording(task, None, f"{check.name}: {_why(result, row)}")
            tests = json.loads(result.artifacts[tests_artifact(seq)])
            found[check.name] = tuple(
                sorted(t for t, status in tests.items() if status == "passed")
            )
            if not isinstance(check, HiddenTestsCheck):
                left_out |= {t for t, status in tests.items() if status != "passed"}
        tries.append(found)
    changing = {
        test
        for name in tries[0]
        for found in tries
        for test in set(tries[0][name]) ^ set(found[name])
    }
    if changing:
        return Recording(
            task, None, f"ids or outcomes differ from try to try: {', '.join(sorted(changing)[:5])}"
        )
    note = (
        f"not recorded, since the reference does not pass them: {', '.join(sorted(left_out)[:5])}"
    )
    return Recording(task, tries[0], note if left_out else None)


def _why(result: TrialResult, row: CheckRow | None) -> str:
    told = None if row is None else row.detail
    return told or result.attempt.error_message or "the reference solution was not graded"
