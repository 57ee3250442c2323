"""The people."""

import csv
from dataclasses import dataclass
from datetime import date
from pathlib import Path

VOICES = ("soprano", "alto", "tenor", "bass")


@dataclass(frozen=True)
class Singer:
    code: str
    name: str
    voice: str
    joined: date


def read_singers(path):
    """All singers, by name."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        singers = [
            Singer(row["code"], row["name"].strip(), row["voice"], date.fromisoformat(row["joined"]))
            for row in csv.DictReader(file)
        ]
    for singer in singers:
        if singer.voice not in VOICES:
            raise ValueError(f"{singer.name}: no voice {singer.voice!r}")
    return sorted(singers, key=lambda singer: singer.name)
