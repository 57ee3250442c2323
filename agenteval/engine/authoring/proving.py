"""Which tests of a drafted task fail before its reference and pass after it, found by running them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from agenteval.engine.grade import check_artifact, tests_artifact
from agenteval.engine.spec import TrialResult
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial
from agenteval.engine.validate import solution_spec
from agenteval.records import HiddenTestsCheck, SuiteCheck
from agenteval.suite import LoadedTask

PASSED = "passed"
Results = Mapping[str, str]


@dataclass(frozen=True)
class Observed:
    """What one run of a drafted task's tests gave.

    Attributes
    ----------
    hidden, suite
        Test id to status, of the hidden tests and of the project's own; None when there were no
        results.
    told
        Why not, or the first failure.
    output
        What the run printed that this is told of; empty when nothing was kept.
    """

    hidden: Results | None
    suite: Results | None
    told: str = ""
    output: str = ""


@dataclass(frozen=True)
class Proof:
    """What the tests prove.

    Attributes
    ----------
    fail_to_pass
        Ids of hidden tests that never pass without the reference and always with it.
    pass_to_pass
        Ids of hidden tests that pass either way.
    suite
        Ids of the project's own tests that pass either way.
    dropped
        Ids of hidden tests that prove nothing, and why.
    steady
        Whether every run gave results of the same tests.
    ran_before
        Whether the hidden tests gave any results without the reference.
    """

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    suite: tuple[str, ...]
    dropped: Mapping[str, str] = field(default_factory=dict)
    steady: bool = True
    ran_before: bool = True

    @property
    def hidden(self) -> tuple[str, ...]:
        """Ids that the hidden tests must give."""
        return tuple(sorted((*self.fail_to_pass, *self.pass_to_pass)))

    @property
    def others(self) -> tuple[str, ...]:
        """Ids of `suite` that the hidden tests do not give too, whose files it may hold as they were."""
        known = {*self.hidden, *self.dropped}
        return tuple(test for test in self.suite if test not in known)


def observe(task: LoadedTask, around: Surroundings, *, solved: bool, number: int) -> Observed:
    """Run a task's tests once, on its start or on its reference.

    Parameters
    ----------
    task
        Loaded without recorded ids.
    number
        Number of the run, from 1.

    Raises
    ------
    EngineError
        When the machinery fails.
    """
    bare = replace(task, recorded={})
    result = run_trial(solution_spec(bare, "reference" if solved else "noop", number), around)
    bad = next((row for row in result.checks if not row.passed and row.detail), None)
    told = (bad.detail if bad else None) or result.attempt.error_message or ""
    output = result.artifacts.get(check_artifact(bad.seq), b"") if bad else b""
    return Observed(
        _of_kind(task, result, HiddenTestsCheck),
        _of_kind(task, result, SuiteCheck),
        told,
        output.decode("utf-8", "replace"),
    )


def _of_kind(task: LoadedTask, result: TrialResult, kind: type) -> Results | None:
    found: dict[str, str] = {}
    seen = False
    for seq, check in enumerate(task.task.checks, 1):
        artifact = result.artifacts.get(tests_artifact(seq))
        if isinstance(check, kind) and artifact is not None:
            found |= json.loads(artifact)
            seen = True
    return found if seen else None


def conclude(before: Sequence[Observed], after: Sequence[Observed]) -> Proof:
    """What several runs without and with the reference prove.

    A run without results counts as one in which nothing passed.

    Parameters
    ----------
    before, after
        One or more runs each.
    """
    first, then = [_hidden(run) for run in before], [_hidden(run) for run in after]
    known = sorted({test for run in then for test in run})
    fail_to_pass, pass_to_pass = [], []
    dropped: dict[str, str] = {}
    for test in known:
        passes = sum(run.get(test) == PASSED for run in then)
        already = sum(run.get(test) == PASSED for run in first)
        if passes < len(then):
            states = sorted({run.get(test, "not run") for run in then} - {PASSED})
            dropped[test] = (
                f"flaky: passes {passes} of {len(then)} times with the reference"
                if passes
                else f"{' or '.join(states)} with the reference too"
            )
        elif already == 0:
            fail_to_pass.append(test)
        elif already == len(first):
            pass_to_pass.append(test)
        else:
            dropped[test] = f"flaky: passes {already} of {len(first)} times without the reference"
    own = [run.suite for run in (*before, *after)]
    always = set(own[0] or {}).intersection(*(run or {} for run in own))
    suite = sorted(t for t in always if all((run or {}).get(t) == PASSED for run in own))
    return Proof(
        tuple(fail_to_pass),
        tuple(pass_to_pass),
        tuple(suite),
        dropped,
        steady=len({frozenset(run) for run in then}) == 1,
        ran_before=any(run.hidden is not None for run in before),
    )


def _hidden(run: Observed) -> Results:
    return run.hidden or {}
