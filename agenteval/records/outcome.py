"""What counts: the one table that decides status, `passed` and place in the rate.

Engine, store, comparison and importers all read it here; nobody writes the rule again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

ENDED_BY = (
    "agent", "timeout", "no_progress", "cost_limit", "turn_limit", "token_limit", "request_limit",
    "output_limit", "memory_limit", "process_limit", "disk_limit", "crash", "cancelled", "infrastructure",
)  # fmt: skip
CHECK_CLASSES = ("check_timeout", "check_no_verdict", "judge_no_score")
INFRASTRUCTURE_CLASSES = (
    "sandbox_failed", "environment_build_failed", "setup_failed", "replay_diverged", "gateway_down",
    "provider_down", "host_out_of_memory", "host_disk_full", "judge_provider_down", "grading_failed", "workspace_failed", "worker_lost", "engine_fault",
)  # fmt: skip
SKIP_CLASSES = (
    "requires_missing",
    "task_skipped",
    "cancelled",
    "budget_used_up",
    "quota_used_up",
    "quarantined",
    "voided",
)


class Status(StrEnum):
    """The four outcomes of a trial."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Outcome:
    """What a trial came to.

    Attributes
    ----------
    status
        One of pass, fail, error, skipped.
    passed
        True and False count in the rate as 1 and 0; None is left out and counted.
    error_class
        Why it is an error or skipped; None for pass and fail.
    """

    status: Status
    passed: bool | None
    error_class: str | None = None


@dataclass(frozen=True)
class Rule:
    """One row of the table: a situation and what it comes to."""

    situation: str
    status: Status
    passed: bool | None
    counts_as: str


OUTCOME_TABLE: dict[str, Rule] = {
    "all_checks_pass": Rule("every check passes, whoever ended the agent's run", Status.PASS, True, "1"),
    "check_fails_agent_done": Rule("some check fails; the agent ended by itself", Status.FAIL, False, "0"),
    "check_fails_agent_stopped": Rule("some check fails; a limit or a crash ended the agent", Status.ERROR, False, "0"),
    "check_without_verdict": Rule("a check timed out or gave no verdict, or a judge replied without a score", Status.ERROR, False, "0"),
    "infrastructure": Rule("the machinery failed: sandbox, build, setup, gateway, provider, host", Status.ERROR, None, "left out, counted, band shown"),
    "skipped": Rule("skipped, cancelled, budget used up before it started, quarantined, voided", Status.SKIPPED, None, "left out, counted"),
}  # fmt: skip


def situation_of(
    *,
    ended_by: str | None,
    checks_passed: Iterable[bool] = (),
    check_errors: Iterable[str] = (),
    infrastructure: str | None = None,
    skipped: str | None = None,
) -> str:
    """Name the row of `OUTCOME_TABLE` that a trial falls into.

    Parameters
    ----------
    ended_by
        One of `ENDED_BY`; None when the agent never started.
    checks_passed
        One entry a check that gave a verdict.
    check_errors
        One of `CHECK_CLASSES` for each check that gave none.
    infrastructure
        One of `INFRASTRUCTURE_CLASSES` when the machinery failed.
    skipped
        One of `SKIP_CLASSES` when the trial was not carried out.

    Raises
    ------
    ValueError
        For a finished trial without any check: nothing was graded, so nothing may count.
    """
    if skipped is not None or ended_by == "cancelled":
        return "skipped"
    if infrastructure is not None or ended_by == "infrastructure":
        return "infrastructure"
    verdicts, errors = list(checks_passed), list(check_errors)
    if errors:
        return "check_without_verdict"
    if not verdicts:
        raise ValueError("a finished trial needs at least one check")
    if all(verdicts):
        return "all_checks_pass"
    return "check_fails_agent_done" if ended_by == "agent" else "check_fails_agent_stopped"


def decide(
    *,
    ended_by: str | None,
    checks_passed: Iterable[bool] = (),
    check_errors: Iterable[str] = (),
    infrastructure: str | None = None,
    skipped: str | None = None,
) -> Outcome:
    """Apply the table; parameters as in `situation_of`.

    Examples
    --------
    >>> decide(ended_by="timeout", checks_passed=[True]).status.value
    'pass'
    >>> decide(ended_by="timeout", checks_passed=[True, False])
    Outcome(status=<Status.ERROR: 'error'>, passed=False, error_class='timeout')
    """
    errors = list(check_errors)
    situation = situation_of(
        ended_by=ended_by,
        checks_passed=checks_passed,
        check_errors=errors,
        infrastructure=infrastructure,
        skipped=skipped,
    )
    rule = OUTCOME_TABLE[situation]
    error_class = {
        "check_fails_agent_stopped": ended_by,
        "check_without_verdict": errors[0] if errors else None,
        "infrastructure": infrastructure or "sandbox_failed",
        "skipped": skipped or "cancelled",
    }.get(situation)
    return Outcome(rule.status, rule.passed, error_class)


def is_held(status: str, error_class: str | None) -> bool:
    """Whether a recorded attempt settles its trial, so that resume does not run it again.

    Skipped and cancelled trials do not settle, quarantined ones included: they run once the
    quarantine is lifted. A voided trial was carried out, and is not carried out again.
    Infrastructure failures settle until `retry` is asked.
    """
    return not (status == Status.SKIPPED and error_class != "voided")


def is_infrastructure(status: str, passed: bool | None) -> bool:  # noqa: FBT001 - a value, not a switch
    """Whether a recorded attempt failed by the machinery and so may be tried again."""
    return status == Status.ERROR and passed is None


def score(passed: Iterable[float], weights: Iterable[float]) -> float:
    """Weighted mean of check scores in [0, 1].

    >>> score([1.0, 0.0], [3, 1])
    0.75
    """
    pairs = list(zip(passed, weights, strict=True))
    return sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)
