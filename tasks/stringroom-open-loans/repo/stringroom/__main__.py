import argparse
import sys
from datetime import date

from stringroom.db import open_room
from stringroom.reports import names, report


def main(argv=None):
    parser = argparse.ArgumentParser(prog="stringroom")
    parser.add_argument("file")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("init", help="make the file, or bring it up to date")
    reporting = commands.add_parser("report")
    reporting.add_argument("name", choices=names())
    reporting.add_argument("--on", default=date.today().isoformat(), metavar="YYYY-MM-DD")
    options = parser.parse_args(argv)
    connection = open_room(options.file)
    if options.command == "report":
        for row in report(connection, options.name, options.on):
            print("\t".join(str(value) for value in row))
    connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
