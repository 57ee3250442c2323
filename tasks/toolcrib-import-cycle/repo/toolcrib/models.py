"""Plain records. No rules in here."""

from dataclasses import dataclass
from datetime import date


@dataclass
class Member:
    id: int
    name: str
    paid_until: date
    steward: bool = False


@dataclass
class Tool:
    id: str
    name: str
    kind: str  # hand, power or large


@dataclass
class Loan:
    id: int
    tool_id: str
    member_id: int
    due_on: date
    returned_on: date | None = None
    fee_settled: bool = False

    @property
    def is_open(self) -> bool:
        return self.returned_on is None
