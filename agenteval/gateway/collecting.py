"""Python's search for unreachable cycles, made rarer while a gateway is open.

It begins anew with every 700 objects more; two hundred streams hold tens of thousands that are all
in use, and looking through them again and again is a tenth of what the gateway costs.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENOUGH = 50_000

_lock = threading.Lock()
_open = 0
_before = (0, 0, 0)


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Raise the first threshold of the collector, for the whole process, until the last one leaves.

    One that is off stays off, and one that somebody has set meanwhile stays as it is.
    """
    global _open, _before
    with _lock:
        _open += 1
        if _open == 1:
            _before = gc.get_threshold()
            if 0 < _before[0] < ENOUGH:
                gc.set_threshold(ENOUGH, *_before[1:])
    try:
        yield
    finally:
        with _lock:
            _open -= 1
            if _open == 0 and gc.get_threshold() == (ENOUGH, *_before[1:]):
                gc.set_threshold(*_before)
