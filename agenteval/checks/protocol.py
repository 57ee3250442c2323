"""What a check gets to look at, and what it says."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from agenteval.sandbox import Box, Sandbox


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
    """

    sandbox: Sandbox
    box: Box
    env: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    cancel: threading.Event | None = None


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
    """

    passed: bool | None
    detail: str = ""
    error_class: str | None = None
    exit_code: int | None = None
    duration_s: float | None = None
    output: bytes | None = None

    @property
    def score(self) -> float:
        """1 when passed, else 0; a check without a verdict counts as zero."""
        return 1.0 if self.passed else 0.0
