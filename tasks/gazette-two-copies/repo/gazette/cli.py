import argparse
import logging
import sys
from datetime import date
from pathlib import Path
from types import SimpleNamespace

from . import mailserver
from .model import GazetteError
from .outbox import freeze
from .people import read_people
from .pipeline import run
from .settings import load_settings


def main(argv=None):
    parser = argparse.ArgumentParser(prog="gazette")
    parser.add_argument("--settings", default="gazette.toml")
    send = parser.add_subparsers(dest="command", required=True).add_parser("send")
    send.add_argument("kind")
    send.add_argument("--dry-run", action="store_true")
    send.add_argument("-v", action="store_true", dest="verbose")
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING)
    try:
        settings = load_settings(options.settings)
        subject = settings.issue(options.kind)["subject"]
        context = SimpleNamespace(settings=settings, exists=mailserver.exists)
        copies = run(read_people(settings.path("people")), context, settings.off(options.kind))
        if options.dry_run:
            for copy in copies:
                print(f"{copy.address or 'printer'}  {copy.name}  {copy.note}".rstrip())
        else:
            freeze(Path("outbox") / f"{date.today()}-{options.kind}", copies, subject)
    except (GazetteError, FileExistsError) as error:
        print(f"gazette: {error}", file=sys.stderr)
        return 1
    return 0
