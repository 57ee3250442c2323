"""Blocking calls of Jupyter's libraries, each with an event loop of its own that is closed again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import TypeVar

from jupyter_core.utils import ensure_event_loop

T = TypeVar("T")


def with_own_loop(work: Callable[[], T]) -> T:
    """Do `work` here, or in a thread where a loop is running already (as in a notebook).

    Jupyter's libraries make a loop for every thread that waits for them and leave it open; a
    program that renders many reports would run out of file descriptors.

    Parameters
    ----------
    work
        A call that blocks on coroutines by `jupyter_core.utils.run_sync`.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return Context().run(_closing, work)
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(_closing, work).result()
    finally:
        pool.shutdown(wait=False)


def _closing(work: Callable[[], T]) -> T:
    loop = ensure_event_loop()
    try:
        return work()
    finally:
        loop.close()
        asyncio.set_event_loop(None)
