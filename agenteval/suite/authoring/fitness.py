"""How well a commit would do as a task, as far as its size and message say."""

from __future__ import annotations

from dataclasses import dataclass

from agenteval.suite.authoring.change import CommitChange
from agenteval.suite.authoring.split import Split, obstacle

MOST_LINES, MOST_FILES = 400, 8
TYPICAL_LINES, TYPICAL_FILES, TOLD_WORDS = 40, 2, 8


@dataclass(frozen=True)
class Fitness:
    """How fit a commit is.

    Attributes
    ----------
    score
        From 0 to 1; the best are tried first.
    reason
        Why it is passed over; None when it is not.
    """

    score: float
    reason: str | None = None


def fitness(change: CommitChange, split: Split) -> Fitness:
    """Rate a commit: a small change of source, tests changed with it, a message that says what for.

    The score is a product of three shares: of lines (1 for none, 1/2 for 40), of files (1 for one
    or two, less for more) and of words in the message (1 for eight or more). It only orders what
    is tried; whether tests fail before and pass after is found by running them.
    """
    reason = obstacle(change, split)
    if reason is not None:
        return Fitness(0.0, reason)
    lines, files = split.source_lines, len(split.source)
    if lines == 0:
        return Fitness(0.0, "it changes no line of source, only modes or binary files")
    if lines > MOST_LINES:
        return Fitness(0.0, f"it changes {lines} lines of source, more than {MOST_LINES}")
    if files > MOST_FILES:
        return Fitness(0.0, f"it changes {files} source files, more than {MOST_FILES}")
    words = len(f"{change.subject} {change.body}".split())
    small = TYPICAL_LINES / (TYPICAL_LINES + lines)
    focused = TYPICAL_FILES / max(TYPICAL_FILES, files)
    told = 0.5 + 0.5 * min(1.0, words / TOLD_WORDS)
    return Fitness(small * focused * told)
