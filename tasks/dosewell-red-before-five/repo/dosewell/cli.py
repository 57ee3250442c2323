import argparse
import sys
from decimal import Decimal, InvalidOperation

from .errors import DosewellError
from .formulary import load_formulary
from .label import label_for


def weight(text):
    try:
        value = Decimal(text.replace(",", "."))
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text!r} is no weight") from None
    if not value.is_finite() or value <= 0:
        raise argparse.ArgumentTypeError("a weight is more than nothing")
    return value


def main(argv=None):
    parser = argparse.ArgumentParser(prog="dosewell")
    parser.add_argument("--formulary")
    commands = parser.add_subparsers(dest="command", required=True)
    label = commands.add_parser("label")
    for name in ("drug", "form", "species"):
        label.add_argument(name)
    label.add_argument("weight", type=weight)
    label.add_argument("--days", type=int, default=1)
    commands.add_parser("check")
    options = parser.parse_args(argv)
    formulary = load_formulary(options.formulary)
    if options.command == "check":
        problems = list(formulary.problems())
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    try:
        print(
            label_for(
                formulary,
                options.drug,
                options.form,
                options.species,
                options.weight,
                options.days,
            )
        )
    except DosewellError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
