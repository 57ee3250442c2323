from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from errand.jobs import STATUSES, Job
from errand.queue import Queue, QueueError
from errand.schema import SchemaError
from errand.worker import load_handlers, work


def main(argv: list[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        with Queue(options.db) as queue:
            return options.run(queue, options)
    except (QueueError, SchemaError) as problem:
        print(f"errand: {problem}", file=sys.stderr)
        return 1


def add(queue: Queue, options: argparse.Namespace) -> int:
    try:
        payload = json.loads(options.payload)
    except ValueError as problem:
        print(f"errand: --payload is not JSON: {problem}", file=sys.stderr)
        return 2
    print(queue.enqueue(options.kind, payload, delay=options.delay))
    return 0


def show(queue: Queue, options: argparse.Namespace) -> int:
    jobs = queue.jobs(options.status)
    if options.json:
        print(json.dumps([asdict(job) for job in jobs], indent=1))
        return 0
    for job in jobs:
        print(_row(job))
    return 0


def requeue(queue: Queue, options: argparse.Namespace) -> int:
    queue.requeue(options.id)
    return 0


def run(queue: Queue, options: argparse.Namespace) -> int:
    count = work(queue, load_handlers(options.handlers))
    print(f"{count} jobs", file=sys.stderr)
    return 0


def _row(job: Job) -> str:
    tries = f"{job.attempts}/{job.max_attempts}"
    error = (job.last_error or "").strip().splitlines()[-1:]
    return f"{job.id:>6}  {job.status:<8}{tries:<6}{job.kind:<16}{' '.join(error)}".rstrip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="errand")
    parser.add_argument("--db", default="jobs.db")
    commands = parser.add_subparsers(required=True)

    command = commands.add_parser("add", help="add a job, print its id")
    command.add_argument("kind")
    command.add_argument("--payload", default="null", help="JSON")
    command.add_argument("--delay", type=float, default=0, help="seconds")
    command.set_defaults(run=add)

    command = commands.add_parser("list", help="show jobs")
    command.add_argument("--status", choices=STATUSES)
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=show)

    command = commands.add_parser("requeue", help="give a dead job another chance")
    command.add_argument("id", type=int)
    command.set_defaults(run=requeue)

    command = commands.add_parser("work", help="run what is due")
    command.add_argument("--handlers", required=True, metavar="MODULE")
    command.set_defaults(run=run)
    return parser
