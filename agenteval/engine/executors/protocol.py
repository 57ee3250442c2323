"""What the runner asks of an executor."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from agenteval.engine.spec import TrialResult, TrialSpec


class Trials(Protocol):
    """Runs attempts somewhere and gives their results back; it writes nothing."""

    @property
    def concurrency(self) -> int:
        """Attempts it can run at one time."""
        ...

    def submit(self, spec: TrialSpec) -> Future[TrialResult]:
        """Start one attempt.

        The future raises `Infrastructure` when the place where it ran was lost.
        """
        ...

    def cancel(self) -> None:
        """Stop the attempts that run; each gives its record as soon as its processes are dead."""
        ...

    def close(self) -> None:
        """Wait for what runs, and let the place go."""
        ...
