"""What the results of a test run prove, given the ids that validation recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agenteval.checks.junit import TestStatus
from agenteval.checks.tripwire import Tripwires

VERDICT_FORGED = "verdict_forged"
_NAMED = 8


@dataclass(frozen=True)
class Judgement:
    """What a run came to.

    Attributes
    ----------
    passed
        None when the run proves nothing.
    detail
        A line for people.
    tests
        Test id -> status, tripwires left out.
    forged
        Whether it claimed a success that it cannot have had.
    """

    passed: bool | None
    detail: str
    tests: Mapping[str, TestStatus]
    forged: bool = False


def judge(
    results: Mapping[str, TestStatus],
    tripwires: Tripwires,
    *,
    exit_code: int,
    recorded: Sequence[str] | None,
    exact: bool,
) -> Judgement:
    """Judge a run. A failure is believed; a success must be proven.

    Parameters
    ----------
    results
        Test id -> status, tripwires included.
    recorded
        Ids that must be there and have passed; None while they are being recorded: then every test
        must have passed if `exact`, else one of them.
    exact
        Whether any other id fails the check.
    """
    red: dict[str, bool] = {}
    tests: dict[str, TestStatus] = {}
    for test, status in results.items():
        name = tripwires.guard(test)
        if name is None:
            tests[test] = status
        else:
            red[name] = red.get(name, True) and status in ("failed", "error")
    green = [name for name, failed in red.items() if not failed]
    absent = [name for name in tripwires.names if name not in red]
    admits_failure = exit_code != 0 and any(s in ("failed", "error") for s in tests.values())
    if green or (absent and not admits_failure):
        what = f"came out green: {green[0]}" if green else f"did not run: {absent[0]}"
        return Judgement(None, f"a test that must fail {what}", tests, forged=True)
    if recorded is None and exit_code == 0:
        what = (
            "the command ends with exit code 0 although tests failed, so a failure cannot be told"
        )
        return Judgement(passed=False, detail=what, tests=tests)
    passed, detail = _compare(tests, recorded, exact=exact)
    return Judgement(passed and not absent, detail, tests)


def _compare(
    tests: Mapping[str, TestStatus], recorded: Sequence[str] | None, *, exact: bool
) -> tuple[bool, str]:
    wanted = recorded if recorded is not None else list(tests)
    known = frozenset(wanted)
    good = [test for test in wanted if tests.get(test) == "passed"]
    bad = {
        status: [test for test in wanted if tests.get(test) == status]
        for status in ("failed", "error", "skipped")
    }
    missing = [test for test in wanted if test not in tests]
    extra = [test for test in tests if test not in known] if exact else []
    listed = {**bad, "missing": missing, "not recorded": extra}
    parts = [f"{len(good)} of {len(wanted)} passed"]
    parts += [f"{what}: {_names(found)}" for what, found in listed.items() if found]
    complete = len(good) == len(wanted) and not extra
    return bool(good) and (complete or (recorded is None and not exact)), "; ".join(parts)


def _names(tests: Sequence[str]) -> str:
    """Names without their files, as many as people read."""
    names = [" ".join(test.rpartition("::")[2].split())[:120] for test in tests[:_NAMED]]
    more = [f"and {len(tests) - _NAMED} more"] if len(tests) > _NAMED else []
    return ", ".join([*names, *more])
