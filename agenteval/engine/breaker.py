"""The circuit breaker: an arm that fails the same way again and again is paused."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agenteval.errors import InvalidInput
from agenteval.records import AttemptRow, is_infrastructure

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)?|/\S+")


@dataclass
class Breaker:
    """Counts failures of one kind in consecutive trials of an arm.

    Attributes
    ----------
    limit
        So many in a row pause the arm; 0 never does.
    paused
        Arm's label to the reason, in the order in which they were paused.
    """

    limit: int = 5
    paused: dict[str, str] = field(default_factory=dict)
    _streaks: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise InvalidInput(
                f"An arm cannot be paused after {self.limit} failures",
                "--pause-after",
                "give a number of at least 1, or 0 to never pause an arm",
            )

    def seen(self, row: AttemptRow) -> str | None:
        """Take note of a trial's last attempt; returns the reason when its arm is paused by it."""
        seal = fingerprint(row)
        if seal is None:
            self._streaks.pop(row.arm, None)
            return None
        before, streak = self._streaks.get(row.arm, ("", 0))
        streak = streak + 1 if seal == before else 1
        self._streaks[row.arm] = seal, streak
        if not self.limit or streak < self.limit or row.arm in self.paused:
            return None
        message = (row.error_message or "").strip().splitlines()
        reason = f"{streak} trials in a row ended with {row.error_class}: {message[0] if message else 'no message'}"
        self.paused[row.arm] = reason
        return reason


def fingerprint(row: AttemptRow) -> str | None:
    """What kind of failure it was, without numbers and paths that differ each time.

    Only failures that say nothing about the agent's work have one: those of the machinery, and an
    agent program that crashed without having changed a file.
    """
    crashed = row.ended_by == "crash" and row.passed is False and not row.files_changed
    if not crashed and not is_infrastructure(row.status, row.passed):
        return None
    message = _VARYING.sub("#", row.error_message or "")
    return f"{row.error_class} {row.exit_code} {message[:300]}"
