import argparse
import sys

from .loans import Refused, checkout, give_back
from .store import Store


def _parser():
    parser = argparse.ArgumentParser(prog="toolcrib")
    parser.add_argument("--file", default="crib.json")
    commands = parser.add_subparsers(dest="command", required=True)
    out = commands.add_parser("checkout")
    out.add_argument("member", type=int)
    out.add_argument("tool")
    back = commands.add_parser("return")
    back.add_argument("loan", type=int)
    commands.add_parser("overdue")
    state = commands.add_parser("standing")
    state.add_argument("member", type=int)
    return parser


def main(argv=None):
    args = _parser().parse_args(argv)
    store = Store.load(args.file)
    try:
        if args.command == "checkout":
            loan = checkout(store, args.member, args.tool)
            store.save(args.file)
            print(f"loan {loan.id}, due {loan.due_on}")
        elif args.command == "return":
            print(give_back(store, args.loan))
            store.save(args.file)
        elif args.command == "overdue":
            from .notices import overdue_notices

            print("\n".join(overdue_notices(store)) or "nothing overdue")
        else:
            from .members import standing

            print(standing(store, args.member))
    except (Refused, LookupError) as error:
        print(f"toolcrib: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
