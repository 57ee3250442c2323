"""What a regrade tells: what was graded again, what was not, and checks that disagree with themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agenteval.engine.spec import TrialResult
from agenteval.records import AttemptRow, CheckRow, TrialBlock


@dataclass(frozen=True)
class Refused:
    """An attempt that was not graded again: its old outcome holds.

    Attributes
    ----------
    attempt
        Its record.
    reason
        Why.
    lost
        Whether there is work that should have been graded; else there is none.
    """

    attempt: AttemptRow
    reason: str
    lost: bool


@dataclass(frozen=True)
class Regraded:
    """One attempt, by its newest grading before and by the one just made."""

    before: TrialBlock
    after: TrialBlock

    @property
    def changed(self) -> bool:
        """Whether the trial counts otherwise now."""
        old, new = self.before.attempt, self.after.attempt
        return (old.status, old.passed, old.error_class) != (
            new.status,
            new.passed,
            new.error_class,
        )

    @property
    def checks(self) -> dict[str, tuple[str | None, str | None]]:
        """Name of each check with another verdict to old and new; None where there is no such check."""
        old, new = (
            {c.name: verdict_of(c) for c in block.checks} for block in (self.before, self.after)
        )
        names = dict.fromkeys([*old, *new])
        return {n: (old.get(n), new.get(n)) for n in names if old.get(n) != new.get(n)}


@dataclass(frozen=True)
class Unsteady:
    """A check that did not say the same every time it graded one patch.

    Attributes
    ----------
    attempt
        Record of the attempt; its old grading holds.
    check
        Name of the check.
    verdicts
        Verdict to how often it was given.
    """

    attempt: AttemptRow
    check: str
    verdicts: dict[str, int]


@dataclass
class RegradeResult:
    """What a regrade did, in the order of the journal.

    Attributes
    ----------
    run_id
        Run.
    regraded
        Attempts with a new grading.
    refused
        Attempts without one, and why.
    unsteady
        Checks that disagreed with themselves; their trials keep their old grading.
    notes
        Sentences for people, such as tasks that changed.
    written
        Whether anything was written.
    interrupted
        Whether it was stopped before all were graded.
    """

    run_id: str
    regraded: list[Regraded] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    unsteady: list[Unsteady] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    written: bool = False
    interrupted: bool = False


def disagreements(attempt: AttemptRow, found: Sequence[TrialResult]) -> list[Unsteady]:
    """Checks whose verdicts differ between gradings of one patch."""
    told = []
    for checks in zip(*(result.checks for result in found), strict=True):
        if len({(c.passed, c.error_class, c.score) for c in checks}) > 1:
            verdicts = Counter(verdict_of(check) for check in checks)
            told.append(Unsteady(attempt, checks[0].name, dict(verdicts)))
    return told


def verdict_of(check: CheckRow) -> str:
    """A check's verdict in a word: passed, failed, or why there is none; with a score between."""
    word = {True: "passed", False: "failed", None: check.error_class or "no verdict"}[check.passed]
    return word if check.score in (0.0, 1.0) else f"{word} ({check.score:.3g})"
