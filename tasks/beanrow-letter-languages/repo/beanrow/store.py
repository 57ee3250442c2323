"""members.csv and journal.jsonl in one folder."""

from __future__ import annotations

import csv
import json
from dataclasses import astuple
from datetime import date
from pathlib import Path

from beanrow.errors import OfficeError
from beanrow.members import Member

HEADER = ["number", "name", "street", "town", "postcode", "plot", "email", "phone"]


class Store:
    def __init__(self, folder: Path, today: date) -> None:
        self.folder = folder
        self.today = today
        self.members: dict[int, Member] = {}
        with open(folder / "members.csv", newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = next(rows)
            if header[:6] != HEADER[:6]:
                raise OfficeError(f"members.csv begins with {header}")
            for number, *rest in rows:
                # files from before 2021 have no phone numbers
                self.members[int(number)] = Member(int(number), *rest)

    def get(self, number: int) -> Member:
        if number not in self.members:
            raise OfficeError(f"no member {number}")
        return self.members[number]

    def next_number(self) -> int:
        return max(self.members, default=0) + 1

    def change(self, member: Member, *fields: str) -> None:
        """Replace a member; the journal gets those of the fields that changed."""
        before = self.get(member.number)
        for field in fields:
            old, new = getattr(before, field), getattr(member, field)
            if old != new:
                self.note(member.number, field, old=old, new=new)
        self.put(member)

    def put(self, member: Member) -> None:
        self.members[member.number] = member
        self.save()

    def remove(self, number: int) -> None:
        del self.members[number]
        self.save()

    def note(self, number: int, change: str, **more: str) -> None:
        line = {"day": self.today.isoformat(), "member": number, "change": change, **more}
        with open(self.folder / "journal.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def blank_journal(self, number: int) -> None:
        path = self.folder / "journal.jsonl"
        if not path.exists():
            return
        lines = []
        for text in path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if line["member"] == number and "old" in line:
                line["old"] = line["new"] = ""
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        path.write_text("".join(lines), encoding="utf-8")

    def save(self) -> None:
        path = self.folder / "members.csv"
        with open(path.with_suffix(".new"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            for number in sorted(self.members):
                writer.writerow(astuple(self.members[number]))
        path.with_suffix(".new").replace(path)
