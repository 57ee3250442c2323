"""Quotes that were given, see docs/quotes.md."""

import importlib
import json
from pathlib import Path

from .jobs import Job
from .price import discounted, price, rule_of


def entry(job):
    return {"job": job.to_dict(), "rule": rule_of(job), "cents": price(job)}


def save(path, job):
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry(job)) + "\n")


def requote(line):
    """(then, today) of a line on file, by the rule it was made with."""
    data = json.loads(line)
    job = Job(**data["job"])
    module, _, name = data["rule"].partition(":")
    rule = getattr(importlib.import_module(module), name)
    return data["cents"], discounted(job, rule(job))
