import argparse
import sys
from pathlib import Path

from deckle import settings as settings_module
from deckle.words import findings


def _parser():
    parser = argparse.ArgumentParser(prog="deckle")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="say what the house doesn't like")
    check.add_argument("files", nargs="+", type=Path)
    commands.add_parser("config", help="print the settings in force")
    return parser


def _shown(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def main(argv=None):
    args = _parser().parse_args(argv)
    try:
        settings = settings_module.load()
    except settings_module.SettingsError as error:
        print(f"deckle: {error}", file=sys.stderr)
        return 2
    if args.command == "config":
        for name, value in sorted(vars(settings).items()):
            print(f"{name} = {_shown(value)}")
        return 0
    found = False
    for file in args.files:
        for line, message in findings(file.read_text(encoding="utf-8"), settings):
            print(f"{file}:{line}: {message}")
            found = True
    return 1 if found and settings.strict else 0
