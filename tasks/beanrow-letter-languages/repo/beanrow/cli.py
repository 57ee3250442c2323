from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

from beanrow.errors import OfficeError
from beanrow.forms import read_form
from beanrow.letters import write_letter
from beanrow.members import FILLED_IN, erased, merged
from beanrow.printshop import printshop_lines
from beanrow.store import Store


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="beanrow")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--today", type=date.fromisoformat, default=None)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, run, *arguments):
        sub = commands.add_parser(name)
        for argument, kind in arguments:
            sub.add_argument(argument, type=kind)
        sub.set_defaults(run=run)

    command("list", list_members)
    command("letter", letter, ("kind", str), ("number", int))
    command("set-phone", set_phone, ("number", int), ("phone", str))
    command("import-form", import_form, ("file", Path))
    command("merge", merge, ("number", int), ("duplicate", int))
    command("erase", erase, ("number", int))
    command("printshop", printshop)
    return parser


def list_members(store, args):
    for member in store.members.values():
        print(f"{member.number:>4}  {member.plot:<5} {member.name}")


def letter(store, args):
    print(write_letter(args.kind, store.get(args.number), store.today), end="")


def set_phone(store, args):
    store.change(replace(store.get(args.number), phone=args.phone), "phone")


def import_form(store, args):
    member = read_form(args.file.read_text(encoding="utf-8"), store.next_number())
    store.note(member.number, "joined")
    store.put(member)
    print(member.number)


def merge(store, args):
    if args.number == args.duplicate:
        raise OfficeError("that is the same member")
    kept, duplicate = store.get(args.number), store.get(args.duplicate)
    store.change(merged(kept, duplicate), *FILLED_IN)
    store.note(duplicate.number, "merged")
    store.remove(duplicate.number)


def erase(store, args):
    member = store.get(args.number)
    store.blank_journal(member.number)
    store.note(member.number, "erased")
    store.put(erased(member))


def printshop(store, args):
    for line in printshop_lines(store.members.values()):
        print(line)


def main(argv: list[str] | None = None) -> int:
    args = build_parser().parse_args(argv)
    try:
        store = Store(args.data, args.today or date.today())
        args.run(store, args)
    except OfficeError as error:
        print(f"beanrow: {error}", file=sys.stderr)
        return 2
    return 0
