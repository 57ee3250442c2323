"""Faults planted one at a time into the right allocate.py: name, old text, new text."""

MUTANTS = [
    ("five-percent-is-not-enough", ">= THRESHOLD", "> THRESHOLD"),
    ("four-percent-is-enough", "Fraction(5, 100)", "Fraction(4, 100)"),
    ("invalid-ballots-do-not-count", "for ballot in ballots) + invalid", "for ballot in ballots)"),
    ("only-votes-of-lists-that-are-not-exempt-are-cast", "sum(ballot.votes for ballot in ballots)", "sum(ballot.votes for ballot in ballots if not ballot.exempt)"),
    ("exempt-lists-need-the-threshold", "    if ballot.exempt:\n        return ballot.votes > 0\n", ""),
    ("exempt-with-no-votes-takes-part", "return ballot.votes > 0", "return True"),
    ("divides-by-odd-numbers", "given[b.name] + 1)", "2 * given[b.name] + 1)"),
    ("ties-to-the-list-first-on-the-paper", "given[b.name] + 1), b.votes)", "given[b.name] + 1), 0)"),
    ("ties-to-the-list-with-fewer-votes", "given[b.name] + 1), b.votes)", "given[b.name] + 1), -b.votes)"),
    ("equal-votes-to-the-list-last-on-the-paper", "max(open_lists,", "max(reversed(open_lists),"),
    ("candidates-ignored", "b.candidates is None or given[b.name] < b.candidates", "True"),
    ("one-seat-more-than-candidates", "given[b.name] < b.candidates", "given[b.name] <= b.candidates"),
    ("no-candidates-means-unknown", "b.candidates is None or", "not b.candidates or"),
    ("seats-that-cannot-be-filled-are-lost", "        given[best.name] += 1\n", "        given[best.name] += 1\n        if len(open_lists) < len(running):\n            break\n"),
    ("nobody-takes-part-is-all-zeros", 'raise CountError("no list takes part")', "return {ballot.name: 0 for ballot in ballots}"),
    ("a-list-twice-is-merged", 'raise CountError("a list is on the paper twice")', "pass"),
    ("negative-seats", "if seats < 0 or invalid < 0 or", "if invalid < 0 or"),
    ("negative-invalid", "if seats < 0 or invalid < 0 or", "if seats < 0 or"),
    ("negative-votes", " or any(ballot.votes < 0 for ballot in ballots)", ""),
    ("lists-without-a-seat-are-left-out", "    return given\n", "    return {name: won for name, won in given.items() if won}\n"),
    ("lists-below-the-threshold-are-left-out", "given = {ballot.name: 0 for ballot in ballots}", "given = {ballot.name: 0 for ballot in running}"),
    ("in-the-order-of-seats", "    return given\n", "    return dict(sorted(given.items(), key=lambda item: -item[1]))\n"),
]


def planted(right):
    """(name, source) of every mutant."""
    for name, old, new in MUTANTS:
        assert right.count(old) == 1, name
        yield name, right.replace(old, new)
