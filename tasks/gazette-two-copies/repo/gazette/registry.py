"""Steps put themselves down here when their file is imported."""

from dataclasses import dataclass
from typing import Callable

from .model import GazetteError


@dataclass(frozen=True)
class Step:
    name: str
    run: Callable
    after: frozenset
    before: frozenset


STEPS = {}  # in the order in which they came


def step(name, *, after=(), before=()):
    def put_down(function):
        if name in STEPS:
            raise GazetteError(f"two steps are called {name}")
        STEPS[name] = Step(name, function, frozenset(after), frozenset(before))
        return function

    return put_down
