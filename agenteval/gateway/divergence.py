"""What was sent against what was recorded, for people."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from itertools import zip_longest

MOST_LINES = 120
WIDEST = 400


def divergence(
    sent: Sequence[str], recorded: Sequence[str] | None, *, label: str, seq: int | None
) -> str:
    """Say where a request leaves its recording.

    Parameters
    ----------
    sent, recorded
        Parts of the two conversations, normalised, as JSON; None where the recording holds no
        further request.
    label
        What the trial is called.
    seq
        Number of the recorded exchange.
    """
    where = f" of {label}" if label else ""
    if recorded is None:
        last = _lines(sent[-1]) if sent else []
        told = "\n".join(last[:MOST_LINES])
        return (
            f"The agent{where} asked more often than was recorded; the last part it sent:\n{told}"
        )
    place = next(
        (at for at, (a, b) in enumerate(zip_longest(sent, recorded)) if a != b), len(recorded)
    )
    before = [line for part in recorded[place:] for line in _lines(part)]
    after = [line for part in sent[place:] for line in _lines(part)]
    diff = list(
        difflib.unified_diff(before, after, f"recorded, request {seq}", "sent", lineterm="", n=2)
    )
    cut = [f"... {len(diff) - MOST_LINES} more lines"] if len(diff) > MOST_LINES else []
    head = f"The request{where} differs from the recording in part {place + 1} of {len(recorded)}:"
    return "\n".join([head, *diff[:MOST_LINES], *cut])


def _lines(part: str) -> list[str]:
    """One value a line, and texts with their own lines."""
    text = json.dumps(json.loads(part), indent=1, sort_keys=True, ensure_ascii=False)
    lines: list[str] = []
    for line in text.split("\n"):
        pieces = line.split("\\n")
        lines += [pieces[0], *(f"    {piece}" for piece in pieces[1:])]
    return [line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in lines]
