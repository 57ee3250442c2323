"""Trials in threads of this process: they wait for processes, so threads are all it takes."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial


class ThreadTrials:
    """Runs trials in threads of this process.

    Parameters
    ----------
    around
        What the trials share; needs a `cancel` event.
    concurrency
        Trials at one time.
    """

    def __init__(self, around: Surroundings, concurrency: int) -> None:
        self.around, self.concurrency = around, concurrency
        self._pool = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="trial")

    def submit(self, spec: TrialSpec) -> Future[TrialResult]:
        """Start one attempt."""
        return self._pool.submit(run_trial, spec, self.around)

    def cancel(self) -> None:
        """Stop the attempts that run; each gives its record."""
        (self.around.cancel or threading.Event()).set()

    def close(self) -> None:
        """Wait for what runs."""
        self._pool.shutdown()
