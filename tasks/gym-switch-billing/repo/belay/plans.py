"""The price list, as the price desk exports it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from belay.money import to_cents


@dataclass(frozen=True)
class Plan:
    code: str
    title: str
    monthly_cents: int


@dataclass(frozen=True)
class PriceList:
    """Plans and add-ons by code, and the tax rate in percent."""

    plans: dict[str, Plan]
    addons: dict[str, Plan] = field(default_factory=dict)
    tax_percent: Decimal = Decimal("0")

    @classmethod
    def read(cls, path: str | Path) -> "PriceList":
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(
            plans=_by_code(raw["plans"]),
            addons=_by_code(raw.get("addons", [])),
            tax_percent=Decimal(raw["tax_percent"]),
        )

    def plan(self, code: str) -> Plan:
        try:
            return self.plans[code]
        except KeyError:
            raise ValueError(f"no plan {code!r} in the price list") from None

    def addon(self, code: str) -> Plan:
        try:
            return self.addons[code]
        except KeyError:
            raise ValueError(f"no add-on {code!r} in the price list") from None


def _by_code(rows: list[dict]) -> dict[str, Plan]:
    return {
        row["code"]: Plan(row["code"], row["title"], to_cents(row["monthly"]))
        for row in rows
    }
