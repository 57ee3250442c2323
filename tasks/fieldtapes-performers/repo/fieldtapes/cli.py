from __future__ import annotations

import argparse
import sys
from contextlib import closing

from fieldtapes import recordings
from fieldtapes.db import connect
from fieldtapes.errors import CatalogueError
from fieldtapes.search import search


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser(prog="fieldtapes")
    main.add_argument("--db", required=True)
    commands = main.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("title")
    add.add_argument("--performer", default="")
    add.add_argument("--place", default="")
    change = commands.add_parser("set")
    change.add_argument("id", type=int)
    change.add_argument("field")
    change.add_argument("text")
    for name in ("show", "remove"):
        commands.add_parser(name).add_argument("id", type=int)
    commands.add_parser("search").add_argument("text")
    return main


def run(db, args) -> None:
    if args.command == "add":
        print(recordings.add(db, args.title, args.performer, args.place))
    elif args.command == "set":
        recordings.change(db, args.id, args.field, args.text)
    elif args.command == "show":
        row = recordings.get(db, args.id)
        for key in row.keys():
            print(f"{key}: {row[key]}")
    elif args.command == "search":
        for row in search(db, args.text):
            print_line(row)
    else:
        recordings.remove(db, args.id)


def print_line(row) -> None:
    print(f"{row['id']}\t{row['title']}\t{row['performers']}")


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        with closing(connect(args.db)) as db:
            run(db, args)
    except CatalogueError as error:
        print(f"fieldtapes: {error}", file=sys.stderr)
        return 1
    return 0
