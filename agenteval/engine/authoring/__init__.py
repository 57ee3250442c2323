"""Authoring: tasks made of commits, of failures and of one's own work, proven by running them."""

from agenteval.engine.authoring.clones import OpenedClones
from agenteval.engine.authoring.drafting import Wanted
from agenteval.engine.authoring.from_commit import Drafted, from_commit
from agenteval.engine.authoring.from_failure import (
    Derived,
    Failure,
    from_failure,
    newer_id,
    refuse_success,
)
from agenteval.engine.authoring.history import History, open_history
from agenteval.engine.authoring.mining import Candidate, mine, rank
from agenteval.engine.authoring.notes import Reading
from agenteval.engine.authoring.proving import Observed, Proof, conclude
from agenteval.engine.authoring.solve import Solved, solve
from agenteval.engine.authoring.unfit import Unfit

__all__ = [
    "Candidate",
    "conclude",
    "Derived",
    "Drafted",
    "Failure",
    "from_commit",
    "from_failure",
    "History",
    "mine",
    "newer_id",
    "Observed",
    "open_history",
    "OpenedClones",
    "Proof",
    "rank",
    "Reading",
    "refuse_success",
    "solve",
    "Solved",
    "Unfit",
    "Wanted",
]
