"""The statutes as code. Articles are those of docs/statutes.md."""

from dataclasses import dataclass
from fractions import Fraction

THRESHOLD = Fraction(5, 100)


class CountError(ValueError):
    """There is no result, or nothing to count (art. 8)."""


@dataclass(frozen=True)
class Ballot:
    """One list on the paper. ``candidates`` is None where we were not told."""

    name: str
    votes: int
    candidates: int | None = None
    exempt: bool = False


def passes(ballot, cast):
    """Whether a list takes part (art. 4), ``cast`` being the votes cast."""
    if ballot.exempt:
        return ballot.votes > 0
    return cast > 0 and Fraction(ballot.votes, cast) >= THRESHOLD


def allocate(ballots, seats, invalid=0):
    """Seats by name, for every list on the paper in its order."""
    ballots = list(ballots)
    _check(ballots, seats, invalid)
    cast = sum(ballot.votes for ballot in ballots) + invalid
    running = [ballot for ballot in ballots if passes(ballot, cast)]
    if not running:
        raise CountError("no list takes part")
    given = {ballot.name: 0 for ballot in ballots}
    for _ in range(seats):
        open_lists = [b for b in running if b.candidates is None or given[b.name] < b.candidates]
        if not open_lists:
            break
        # max() keeps the first of equals, which is the paper's order
        best = max(open_lists, key=lambda b: (Fraction(b.votes, given[b.name] + 1), b.votes))
        given[best.name] += 1
    return given


def _check(ballots, seats, invalid):
    names = [ballot.name for ballot in ballots]
    if len(set(names)) != len(names):
        raise CountError("a list is on the paper twice")
    if seats < 0 or invalid < 0 or any(ballot.votes < 0 for ballot in ballots):
        raise CountError("a number below zero")
