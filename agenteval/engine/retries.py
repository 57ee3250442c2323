"""Which failures are tried again, and when: those of the machinery, never an outcome that counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    stop_never,
    stop_when_event_set,
    wait_random_exponential,
)

from agenteval.errors import Infrastructure, InvalidInput
from agenteval.records import INFRASTRUCTURE_CLASSES, AttemptRow, Standing, is_infrastructure

# A fault that comes again with certainty, or whose cure costs no second agent (`regrade`).
NOT_TRIED_AGAIN = frozenset(
    {"engine_fault", "grading_failed", "judge_provider_down", "replay_diverged"}
)
Result = TypeVar("Result")
RETRYABLE = frozenset(INFRASTRUCTURE_CLASSES) - NOT_TRIED_AGAIN


@dataclass(frozen=True)
class Retries:
    """How often a trial is tried again after a failure of the machinery, and after which wait.

    The wait is drawn between 0 and a bound that doubles with every attempt, so that trials that
    failed together do not come back together.

    Attributes
    ----------
    limit
        Further attempts of one trial, at least 0.
    first_wait_s, longest_wait_s
        Bound of the wait before the second attempt, and of any.
    """

    limit: int = 2
    first_wait_s: float = 2.0
    longest_wait_s: float = 60.0

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise InvalidInput(
                f"{self.limit} retries are none", "--retries", "give a number of at least 0"
            )

    def wait_s(self, attempts: int) -> float:
        """Seconds to wait after this many failed attempts in a row, at least 1."""
        wait: Callable[[RetryCallState], float] = wait_random_exponential(
            multiplier=self.first_wait_s, max=self.longest_wait_s
        )
        state = RetryCallState(Retrying(stop=stop_never), None, (), {})
        state.attempt_number = attempts
        return float(wait(state))


def may_run_again(row: AttemptRow | Standing) -> bool:
    """Whether another attempt of this one's trial may follow by itself.

    Not where the agent ran and its workspace could not be read: that may be its own doing, and a
    second chance must not be had by breaking things.
    """
    broken = row.error_class == "workspace_failed" and row.agent_s is not None
    failed = is_infrastructure(row.status, row.passed)
    return failed and row.error_class in RETRYABLE and not broken


def steadily(
    action: Callable[[], Result], cancel: threading.Event | None = None, *, tries: int = 3
) -> Result:
    """Do something up to `tries` times while the machinery fails; its last failure is raised."""
    event = cancel or threading.Event()
    return Retrying(
        retry=retry_if_exception_type(Infrastructure),
        stop=stop_after_attempt(tries) | stop_when_event_set(event),
        wait=wait_random_exponential(multiplier=0.2, max=2),
        sleep=sleep_using_event(event),
        reraise=True,
    )(action)


def check_classes(classes: frozenset[str]) -> frozenset[str]:
    """Return the classes if all of them are failures of the machinery.

    Raises
    ------
    InvalidInput
        For an outcome that counts: re-rolling failures turns a pass rate of .60 into .84.
    """
    wrong = sorted(classes - set(INFRASTRUCTURE_CLASSES))
    if wrong:
        raise InvalidInput(
            f"{', '.join(wrong)} cannot be tried again: only failures of the machinery can, for trying failures of the agent again would raise its pass rate",
            "--class",
            f"name one or more of {', '.join(INFRASTRUCTURE_CLASSES)}",
        )
    return classes
