import argparse
import sys

from . import archive, checks, jobs, price, quotes, rates, schedule, ticket

KINDS = ("card", "poster", "booklet", "sticker")


def _parser():
    parser = argparse.ArgumentParser(prog="imprint")
    parser.add_argument("--rates")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("kinds")
    quote = commands.add_parser("quote")
    quote.add_argument("file")
    quote.add_argument("id", type=int)
    quote.add_argument("--save")
    slip = commands.add_parser("ticket")
    slip.add_argument("file")
    slip.add_argument("id", type=int)
    week = commands.add_parser("plan")
    week.add_argument("file")
    week.add_argument("--only", choices=KINDS)
    commands.add_parser("archive").add_argument("file")
    return parser


def _find(file, number):
    for job in jobs.load(file):
        if job.id == number:
            return job
    raise LookupError(f"no job {number}")


def main(argv=None):
    args = _parser().parse_args(argv)
    try:
        return _run(args)
    except price.UnknownKind as error:
        print(f"imprint: we don't do {error}", file=sys.stderr)
    except (LookupError, ValueError) as error:
        print(f"imprint: {error}", file=sys.stderr)
    return 1


def _run(args):
    if args.rates:
        rates.load(args.rates)
    if args.command == "kinds":
        print("\n".join(f"{kind} {rates.RATES[kind]}" for kind in KINDS))
    elif args.command == "quote":
        job = _find(args.file, args.id)
        found = checks.problems(job)
        print("\n".join(f"! {problem}" for problem in found) or f"{price.price(job)} cents")
        if found:
            return 1
        if args.save:
            quotes.save(args.save, job)
    elif args.command == "ticket":
        print(ticket.ticket(_find(args.file, args.id)))
    elif args.command == "plan":
        wanted = [job for job in jobs.load(args.file) if args.only in (None, job.kind)]
        for job in schedule.plan(wanted):
            print(f"{schedule.days(job)} days  #{job.id} {job.kind}")
    else:
        print(archive.listing(jobs.load(args.file)))
    return 0
