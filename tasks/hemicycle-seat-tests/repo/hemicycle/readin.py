"""Result files. The stations send JSON since 2019; before that it was fax."""

import json
from dataclasses import dataclass
from pathlib import Path

from .allocate import Ballot


@dataclass(frozen=True)
class Paper:
    ballots: list[Ballot]
    seats: int
    invalid: int = 0


def read(path):
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    ballots = [
        Ballot(
            entry["name"].strip(),
            int(entry["votes"]),
            entry.get("candidates"),
            bool(entry.get("exempt", False)),
        )
        for entry in data["lists"]
    ]
    return Paper(ballots, int(data["seats"]), int(data.get("invalid", 0)))
