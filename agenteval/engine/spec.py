"""What one trial is made from, and what it gives: pure data that can cross a process boundary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agenteval.records import Arm, AttemptRow, CheckRow
from agenteval.suite import LoadedTask

OUTPUT_LIMIT = 64 << 20


@dataclass(frozen=True)
class TrialSpec:
    """One trial to carry out."""

    run_id: str
    trial_id: str
    suite: str
    task: LoadedTask
    arm: Arm
    arm_label: str
    repeat: int
    seed: int
    attempt: int = 1
    sequence: int | None = None
    concurrent_trials: int | None = None


@dataclass(frozen=True)
class TrialResult:
    """One finished attempt.

    Attributes
    ----------
    attempt, checks
        The records.
    artifacts
        Name relative to the attempt's folder to contents.
    disk_full
        Whether it failed since there was no space to work in: no other trial can do better.
    quota_until
        When the provider says that the quota it ran into is there again: it is run again then.
    """

    attempt: AttemptRow
    checks: tuple[CheckRow, ...] = ()
    artifacts: Mapping[str, bytes] = field(default_factory=dict)
    disk_full: bool = False
    quota_until: datetime | None = None
