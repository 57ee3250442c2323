"""An event loop on a thread of its own, with a server on it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from agenteval.errors import EngineError

# of a header or an address: an agent's token, or a model's name, may be long
_LONGEST_LINE = 1 << 16


class LoopThread:
    """Runs one coroutine on a loop and a thread of their own until it is told to stop.

    Parameters
    ----------
    name
        Name of the thread.
    serve
        Called on the thread; calls `ready` once it serves, and returns soon after `stopping` is set.

    Attributes
    ----------
    loop
        The loop.
    stopping
        Set when it is to end.
    """

    def __init__(self, name: str, serve: Callable[[], Awaitable[None]]) -> None:
        self.loop, self.stopping = asyncio.new_event_loop(), asyncio.Event()
        self._serve = serve
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._ready, self._serves = threading.Event(), False
        self._problem: BaseException | None = None

    def start(self, what: str, where: str, wait_s: float) -> None:
        """Start, and wait until it serves.

        Raises
        ------
        EngineError
            When it does not within `wait_s` seconds; `what` and `where` are said then.
        """
        self._thread.start()
        if not self._ready.wait(wait_s) or not self._serves:
            raise EngineError(
                f"{what}: {self._problem}",
                where,
                "see whether this machine lets a program listen on 127.0.0.1",
            ) from self._problem

    def ready(self) -> None:
        """Say that it serves."""
        self._serves = True
        self._ready.set()

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return self._thread.is_alive() and not self.loop.is_closed()

    def stop(self, wait_s: float) -> None:
        """Tell it to stop, and wait for the end of its thread."""
        if self.alive:
            self.loop.call_soon_threadsafe(self.stopping.set)
        self._thread.join(wait_s)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_until_complete(self._serve())
        except OSError as error:
            self._problem = error
        finally:
            self._ready.set()
            self.loop.close()


async def runner_of(handler: Callable[..., Awaitable[Any]]) -> web.ServerRunner:
    """Set up what serves a handler: a request whose asker left is cancelled, and nothing is logged."""
    server = web.Server(
        handler,
        handler_cancellation=True,
        access_log=None,
        logger=logging.getLogger("agenteval.gateway"),
        max_field_size=_LONGEST_LINE,
        max_line_size=_LONGEST_LINE,
        lingering_time=0,
    )
    runner = web.ServerRunner(server, shutdown_timeout=1)
    await runner.setup()
    return runner
