from __future__ import annotations

import argparse
import sys
from pathlib import Path

from belay.invoice import build_invoice
from belay.members import read_members
from belay.occupancy import person_days
from belay.periods import Period
from belay.plans import PriceList
from belay.render import invoice_text, occupancy_text

DATA = Path(__file__).resolve().parent.parent / "data"


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        period = Period.month(options.month)
        members = read_members(options.members)
        if options.command == "occupancy":
            print(occupancy_text(person_days(members.values(), period)))
            return 0
        prices = PriceList.read(options.plans)
        if options.member not in members:
            raise ValueError(f"no member {options.member!r}")
        member = members[options.member]
        invoice = build_invoice(member, period, prices)
        print(invoice_text(invoice, member.name, prices))
    except (OSError, ValueError) as problem:
        print(f"belay: {problem}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="belay")
    commands = parser.add_subparsers(dest="command", required=True)
    invoice = commands.add_parser("invoice", help="print one member's invoice")
    invoice.add_argument("member")
    occupancy = commands.add_parser("occupancy", help="person-days per plan")
    for command in (invoice, occupancy):
        command.add_argument("--month", required=True, metavar="YYYY-MM")
        command.add_argument("--plans", default=DATA / "plans.json")
        command.add_argument("--members", default=DATA / "members.sample.json")
    return parser
