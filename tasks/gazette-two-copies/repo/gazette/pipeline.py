"""Which steps an issue goes through, and in which order."""

import logging

from . import steps  # noqa: F401, puts them down
from .model import GazetteError
from .registry import STEPS

log = logging.getLogger("gazette")


def order(off=frozenset()):
    """The steps that are on, each after all of those it has to wait for.

    Among those that need not wait (any more) the one that was put down first goes first.
    """
    for name in off:
        _known(name, "off")
    on = [step for step in STEPS.values() if step.name not in off]
    waits = {step.name: _waits_for(step) for step in on}
    names, done = [step.name for step in on], []
    while names:
        ready = next((name for name in names if waits[name].isdisjoint(names)), None)
        if ready is None:
            raise GazetteError(f"steps wait for each other: {', '.join(names)}")
        names.remove(ready)
        done.append(STEPS[ready])
    return done


def _waits_for(step):
    for name in step.after | step.before:
        _known(name, step.name)
    return step.after | {other.name for other in STEPS.values() if step.name in other.before}


def _known(name, where):
    if name not in STEPS:
        raise GazetteError(f"{where}: there is no step {name}")


def run(copies, context, off=frozenset()):
    for step in order(off):
        before = len(copies)
        copies = step.run(copies, context)
        log.info("%s: %d -> %d", step.name, before, len(copies))
    return copies
