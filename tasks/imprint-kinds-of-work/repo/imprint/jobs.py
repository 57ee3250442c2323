"""What a customer wants."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Job:
    id: int
    kind: str
    count: int
    width_mm: int
    height_mm: int
    colours: int = 1
    options: dict = field(default_factory=dict)

    def to_dict(self):
        return asdict(self)


def load(path):
    return [Job(**row) for row in json.loads(Path(path).read_text(encoding="utf-8"))]
