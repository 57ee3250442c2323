"""What a check gets to look at, and what it says."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agenteval.checks.work import Changes, Metered, Work
from agenteval.records import Limits
from agenteval.sandbox import MAX_PROCESSES, Bounds, Box, Sandbox


@dataclass(frozen=True)
class Grading:
    """The finished trial as checks see it: a fresh copy, never the agent's own workspace.

    Attributes
    ----------
    sandbox, box
        Where check commands run; `box.workspace` is the grading copy with the hidden files in it.
    env
        Variables of the task.
    answer
        The agent's final answer.
    cancel
        Stops a running check when set.
    test_files
        For a check on single tests: the files it runs, which the engine laid into the copy.
    recorded
        For a check on single tests: the ids that must pass; None while they are being recorded.
    limits
        Limits of the task, which hold for its checks too.
    work
        The change, what the agent was handed, and metered records.
    """

    sandbox: Sandbox
    box: Box
    env: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    cancel: threading.Event | None = None
    test_files: tuple[str, ...] = ()
    recorded: tuple[str, ...] | None = None
    limits: Limits = Limits()
    work: Work = Work()

    def only(self, sources: frozenset[str]) -> Grading:
        """The same without the sources that a kind of check does not name; the box is the engine's to narrow."""
        work = Work(
            "",
            self.work.changes if "change" in sources else Changes(),
            self.work.handed if "handed" in sources else None,
            self.work.metered if "metered" in sources else Metered(),
        )
        return replace(self, answer=self.answer if "answer" in sources else "", work=work)

    def bounds(self, timeout_s: float, keep_bytes: int) -> Bounds:
        """What one command of a check may use: its own time, and the task's memory, processes and disk."""
        return Bounds(
            timeout_s=timeout_s,
            grace_s=1.0,
            keep_bytes=keep_bytes,
            memory_mb=self.limits.memory_mb,
            max_processes=self.limits.max_processes or MAX_PROCESSES,
            disk_mb=self.limits.disk_mb,
        )


@dataclass(frozen=True)
class Verdict:
    """What one check found.

    Attributes
    ----------
    passed
        None when there is no verdict; then `error_class` says why.
    detail
        One line, or the tail of the output, for people.
    output
        The whole output (capped), stored as an artifact; None when there is none.
    tests
        Test id -> passed, skipped, failed or error; None when single tests were not looked at.
    tampering
        Names of what the check saw done to it.
    stopped_by
        Limit that stopped its command; None when none did.
    findings
        Findings of a linter; None when none was asked.
    points
        Score between 0 and 1, of a check that gives one; None for those that pass or fail.
    """

    passed: bool | None
    detail: str = ""
    error_class: str | None = None
    exit_code: int | None = None
    duration_s: float | None = None
    output: bytes | None = None
    tests: Mapping[str, str] | None = None
    tampering: tuple[str, ...] = ()
    stopped_by: str | None = None
    findings: int | None = None
    points: float | None = None

    @property
    def score(self) -> float:
        """The points of a check that gives some, else 1 when passed; zero without a verdict."""
        if self.passed is not None and self.points is not None:
            return self.points
        return 1.0 if self.passed else 0.0
