"""How a run tells a listener what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agenteval.engine.spec import TrialSpec
from agenteval.records import AttemptRow


@dataclass(frozen=True)
class Progress:
    """Hooks of a listener; every one is optional.

    `stoppable` is given what stops the run as the first Ctrl-C does, from any thread.
    """

    planned: Callable[[int, int], None] = lambda total, held: None
    started: Callable[[TrialSpec], None] = lambda spec: None
    finished: Callable[[AttemptRow], None] = lambda row: None
    note: Callable[[str], None] = lambda text: None
    stoppable: Callable[[Callable[[], None]], None] = lambda stop: None
