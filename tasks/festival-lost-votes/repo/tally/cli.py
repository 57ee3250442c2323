import argparse
import logging

from .ballots import Ballots
from .films import load_films
from .importer import Importer
from .result import as_text, ranking


def main(argv=None):
    parser = argparse.ArgumentParser(prog="tally")
    parser.add_argument("--db", default="var/ballots.db")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("import").add_argument("spool")
    commands.add_parser("result")
    commands.add_parser("kiosks")
    options = parser.parse_args(argv)
    logging.basicConfig(
        format="%(asctime)s %(levelname)-5s %(message)s", datefmt="%H:%M:%S", level=logging.INFO
    )
    ballots = Ballots(options.db)
    try:
        if options.command == "import":
            outcome = Importer(ballots).run(options.spool)
            print(
                f"{len(outcome.files)} files: {outcome.counted} counted,"
                f" {outcome.duplicates} duplicates, {outcome.rejected} rejected"
            )
        elif options.command == "result":
            print(as_text(ranking(ballots.stars(), load_films())))
        else:
            for kiosk, count in ballots.by_kiosk().items():
                print(f"{kiosk} {count}")
    finally:
        ballots.close()
    return 0
