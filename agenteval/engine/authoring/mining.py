"""A history's commits ranked by how well they would do as tasks, and the best made into some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.engine.authoring.drafting import Wanted
from agenteval.engine.authoring.from_commit import Drafted, from_commit, once
from agenteval.engine.authoring.history import History
from agenteval.engine.authoring.unfit import reason_of
from agenteval.errors import AgentEvalError
from agenteval.sandbox import Sandbox
from agenteval.suite.authoring import CommitChange, Split, check_suite, fitness, split_change

TRIES_PER_TASK = 3
_REVERTED = re.compile(r"\bThis reverts (?:commits? )?([0-9a-f]{7,40})\b", re.IGNORECASE)
_REVERT = re.compile(
    r"(?:revert(?:s|ed)?|back(?:s|ed)? ?out)(?:\([^)]*\))?(?:!?:| commit\b|(?= *[\"'“‘`]))"
    r"(?: *[\"'“‘`](?P<title>.+)[\"'”’`])?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Candidate:
    """One commit of a history.

    Attributes
    ----------
    change, split
        The commit, and its parts.
    score
        How fit it is by its size and message, from 0 to 1.
    reason
        Why it was passed over; None for one that was made into a task, or may be.
    drafted
        The task that was made of it.
    """

    change: CommitChange
    split: Split
    score: float
    reason: str | None = None
    drafted: Drafted | None = None


def rank(changes: Iterable[CommitChange], tests: tuple[str, ...] = ()) -> list[Candidate]:
    """Rate commits by what their files and messages say: the fittest first, then those passed over."""
    found, listed = [], list(changes)
    undone = {name for change in listed for name in _REVERTED.findall(change.body)}
    titles: set[str] = set()  # of what is taken back, by those that do not name the commit
    for change in listed:  # newest first: only what came before can be taken back
        split = split_change(change.files, tests)
        rated, reason = fitness(change, split), None
        revert, named = _REVERT.match(change.subject), _REVERTED.search(change.body)
        if revert or named:
            reason = "takes another commit back"
            titles |= {revert["title"]} if revert and revert["title"] and not named else set()
        elif change.subject in titles or any(change.sha.startswith(name) for name in undone):
            titles.discard(change.subject)
            reason = "was taken back by a later commit"
        score = rated.score if reason is None else 0.0
        found.append(Candidate(change, split, score, reason or rated.reason))
    return sorted(found, key=lambda each: -each.score)


def mine(
    candidates: Iterable[Candidate],
    history: History,
    suite: Path,
    wanted: Wanted,
    *,
    most: int,
    sandbox: Sandbox,
    scratch: Path,
    on_candidate: Callable[[Candidate], None] = lambda candidate: None,
) -> list[Candidate]:
    """Make tasks of the fittest commits, one after the other, until there are enough.

    At most three commits are tried for every task that is asked for.

    Parameters
    ----------
    candidates
        As `rank` gives them.
    most
        Tasks to make.
    on_candidate
        Called with each commit that was tried.

    Returns
    -------
    list of Candidate
        All of them, with what came of those that were tried and why the others were not.

    Raises
    ------
    InvalidInput
        When the suite cannot be made or written; nothing has run then.
    """
    check_suite(suite)
    found, made, tried = [], 0, 0
    for candidate in candidates:
        if candidate.reason is None:
            if made >= most:
                candidate = replace(candidate, reason=f"not tried: {most} tasks were made")
            elif tried >= most * TRIES_PER_TASK:
                candidate = replace(candidate, reason=f"not tried: {tried} others were")
            else:
                tried += 1
                candidate = _tried(candidate, history, suite, wanted, sandbox, scratch)
                made += candidate.drafted is not None
                on_candidate(candidate)
        found.append(candidate)
    return found


def _tried(
    candidate: Candidate,
    history: History,
    suite: Path,
    wanted: Wanted,
    sandbox: Sandbox,
    scratch: Path,
) -> Candidate:
    try:
        drafted = from_commit(
            history, candidate.change, suite, once(wanted), sandbox=sandbox, scratch=scratch
        )
    except AgentEvalError as error:
        return replace(candidate, reason=reason_of(error, candidate.change))
    return replace(candidate, drafted=drafted)
