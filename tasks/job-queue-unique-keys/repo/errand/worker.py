"""Takes jobs and runs the handler of their kind."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from errand.queue import Queue

Handler = Callable[[Any], object]

STUCK_S = 3600


def load_handlers(module: str) -> dict[str, Handler]:
    """A module's HANDLERS, a dict from kind to function."""
    return dict(importlib.import_module(module).HANDLERS)


def work(queue: Queue, handlers: Mapping[str, Handler]) -> int:
    """Run what is due until nothing is; how many jobs were run.

    systemd starts us again every few seconds. A loop with sleep was here before,
    it leaked memory through the image library.
    """
    queue.release_stuck(STUCK_S)
    count = 0
    while job := queue.claim():
        count += 1
        handler = handlers.get(job.kind)
        if handler is None:
            queue.fail(job.id, f"no handler for {job.kind!r}")
            continue
        try:
            handler(job.payload)
        except Exception:
            queue.fail(job.id, traceback.format_exc(limit=3))
        else:
            queue.finish(job.id)
    return count
