from __future__ import annotations

import argparse
from pathlib import Path

from hothouse.loader import UnitError, load
from hothouse.plan import check, plan


def main() -> int:
    parser = argparse.ArgumentParser(prog="hothouse")
    parser.add_argument("--root", type=Path, default=Path("."))
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("show").add_argument("unit")
    commands.add_parser("plan")
    commands.add_parser("check")
    args = parser.parse_args()
    if args.command == "show":
        try:
            unit = load(args.root, args.unit)
        except UnitError as error:
            parser.exit(1, f"hothouse: {error}\n")
        print("# " + ", ".join(unit.files) if unit.files else "# masked")
        for key, value in sorted(unit.settings.items()):
            print(f"{key}={' '.join(value) if isinstance(value, list) else value}")
        return 0
    if args.command == "plan":
        for line in plan(args.root):
            print("\t".join(line))
        return 0
    problems = check(args.root)
    print("\n".join(problems) if problems else "fine")
    return 1 if problems else 0


raise SystemExit(main())
