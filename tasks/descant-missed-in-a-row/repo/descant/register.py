"""The evenings."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path


@dataclass(frozen=True)
class Rehearsal:
    date: date
    present: frozenset[str]
    excused: frozenset[str]


def read_rehearsal(path):
    """One evening, or None if it was cancelled."""
    entries = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        key, colon, value = line.partition(":")
        if colon:
            entries[key.strip()] = value.strip()
    if "date" not in entries:
        raise ValueError(f"{path}: no date")
    if "cancelled" in entries:
        return None
    return Rehearsal(
        date.fromisoformat(entries["date"]),
        frozenset(entries.get("present", "").split()),
        frozenset(entries.get("excused", "").split()),
    )


def read_all(folder):
    """Every evening that took place."""
    found = (read_rehearsal(path) for path in sorted(Path(folder).glob("*.txt")))
    return [rehearsal for rehearsal in found if rehearsal is not None]
