"""The ranking."""

from fractions import Fraction

LEAST = 3


def ranking(stars, films):
    """(title, ballots, mean), best first. docs/counting.md"""
    ranked = [
        (films[film], ballots, Fraction(total, ballots))
        for film, ballots, total in stars
        if ballots >= LEAST
    ]
    return sorted(ranked, key=lambda entry: (-entry[2], -entry[1], entry[0]))


def as_text(ranked):
    return "\n".join(
        f"{place:>2}  {float(mean):.2f}  {ballots:>5}  {title}"
        for place, (title, ballots, mean) in enumerate(ranked, 1)
    )
