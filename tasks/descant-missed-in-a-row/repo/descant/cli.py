import argparse
import sys
from pathlib import Path

from descant import report
from descant.register import read_all
from descant.singers import VOICES, read_singers

DATA = Path(__file__).resolve().parent.parent / "data"


def _parser():
    parser = argparse.ArgumentParser(prog="descant")
    commands = parser.add_subparsers(dest="command", required=True)
    reporting = commands.add_parser("report", help="a table for the committee")
    reporting.add_argument("--voice", choices=VOICES)
    exporting = commands.add_parser("export", help="JSON, for the federation")
    for command in (reporting, exporting):
        command.add_argument("--data", type=Path, default=DATA)
    return parser


def main(argv=None):
    options = _parser().parse_args(argv)
    try:
        singers = read_singers(options.data / "singers.csv")
        rehearsals = read_all(options.data / "rehearsals")
    except (OSError, ValueError) as problem:
        print(f"descant: {problem}", file=sys.stderr)
        return 2
    rows = report.tallies(singers, rehearsals)
    if options.command == "export":
        print(report.export(rows))
        return 0
    if options.voice:
        rows = [row for row in rows if row.voice == options.voice]
    print(report.table(rows))
    return 0
