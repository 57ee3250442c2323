"""Members and what plan they were on, since when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path


@dataclass(frozen=True)
class PlanChange:
    """From `on` the member is on `plan`. The first one is the joining day."""

    on: date
    plan: str


@dataclass(frozen=True)
class Member:
    id: str
    name: str
    changes: tuple[PlanChange, ...]
    left_on: date | None = None
    addons: tuple[str, ...] = ()


def read_members(path: str | Path) -> dict[str, Member]:
    """All members of an export, by id.

    The desk's program writes changes in the order they were entered, which is
    not always the order of their dates.
    """
    members = {}
    for row in json.loads(Path(path).read_text(encoding="utf-8")):
        left_on = row.get("left_on")
        members[row["id"]] = Member(
            id=row["id"],
            name=row["name"],
            changes=tuple(
                PlanChange(date.fromisoformat(change["on"]), change["plan"])
                for change in row["changes"]
            ),
            left_on=date.fromisoformat(left_on) if left_on else None,
            addons=tuple(row.get("addons", ())),
        )
    return members
