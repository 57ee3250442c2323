"""The crib's JSON file."""

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path

from .models import Loan, Member, Tool

_DATES = ("paid_until", "due_on", "returned_on")


def _record(cls, row):
    return cls(**{k: date.fromisoformat(v) if k in _DATES and v else v for k, v in row.items()})


class Store:
    def __init__(self, members=(), tools=(), loans=()):
        self.members = {m.id: m for m in members}
        self.tools = {t.id: t for t in tools}
        self.loans = {loan.id: loan for loan in loans}

    @classmethod
    def load(cls, path):
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(
            [_record(Member, row) for row in data["members"]],
            [_record(Tool, row) for row in data["tools"]],
            [_record(Loan, row) for row in data["loans"]],
        )

    def save(self, path):
        data = {
            "members": [asdict(m) for m in self.members.values()],
            "tools": [asdict(t) for t in self.tools.values()],
            "loans": [asdict(loan) for loan in self.loans.values()],
        }
        text = json.dumps(data, indent=2, default=date.isoformat)
        Path(path).write_text(text + "\n", encoding="utf-8")

    def next_loan_id(self):
        return max(self.loans, default=0) + 1
