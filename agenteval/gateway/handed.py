"""A provider's answer, handed on in the turn of the loop in which it comes.

aiohttp gives a body to a task that waits for it: a future, a wake-up and a buffer for each chunk,
which is a quarter of what passing a stream on costs. Here the body hands what comes to a function;
the task wakes up at the end, on an error, or when the agent reads too slowly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import StreamReader

Hand = Callable[[bytes], bool]
Drained = Callable[[], Awaitable[None]]
HandOn = Callable[[Hand, Drained], Awaitable[None]]

# of aiohttp's own, not promised: without it bodies are read as everybody reads them
POSSIBLE = "_cursor" in getattr(StreamReader, "__slots__", ())


class _Handing:
    """What a body hands on, and to whom."""

    __slots__ = ("_came", "_hand", "_loop", "woken")

    def __init__(self, hand: Hand) -> None:
        self._hand, self._loop = hand, asyncio.get_running_loop()
        self._came: list[bytes] = []
        self.woken: asyncio.Future[None] = self._loop.create_future()

    def take(self, data: bytes) -> None:
        """Take bytes; what comes in one turn of the loop goes on in one piece."""
        if not self._came:
            self._loop.call_soon(self._flush)
        self._came.append(data)

    def _flush(self) -> None:
        try:
            if self.flush():
                self.wake()
        except BaseException as error:  # the task's, not the loop's
            if not self.woken.done():
                self.woken.set_exception(error)
            elif not isinstance(error, ConnectionError):  # else the task has left already
                raise

    def flush(self) -> bool:
        """Hand on what came; whether it is too much for now."""
        came, self._came = self._came, []
        return bool(came) and self._hand(came[0] if len(came) == 1 else b"".join(came))

    def wake(self) -> None:
        """Let the task go on."""
        if not self.woken.done():
            self.woken.set_result(None)


_HANDING: dict[StreamReader, _Handing] = {}


class _Handed(StreamReader):  # without attributes of its own: only so can a body turn into one
    """A body that keeps nothing."""

    __slots__ = ()

    def feed_data(self, data: bytes, size: int = 0) -> bool:
        if data:
            self.total_bytes += len(data)
            self._cursor += len(data)
            _HANDING[self].take(data)
        return False

    def end_http_chunk_receiving(self) -> None:
        """Nobody asks where chunks ended; noting it would stop the connection at some number."""

    def feed_eof(self) -> None:
        super().feed_eof()
        _HANDING[self].wake()

    def set_exception(self, exc: BaseException, *cause: BaseException) -> None:
        super().set_exception(exc, *cause)
        _HANDING[self].wake()


async def hand_on(body: StreamReader, hand: Hand, drained: Drained) -> None:
    """Hand on a body until it ends.

    Parameters
    ----------
    body
        Of an answer that is read by nobody else.
    hand
        Takes bytes and says whether that is too much for now; called in the loop, must not block.
    drained
        Waits until it is not too much any more; the provider waits meanwhile.

    Raises
    ------
    aiohttp.ClientError
        Where the body breaks off. What `hand` raises comes out here too.
    """
    turns = POSSIBLE and type(body) is StreamReader
    while not body.at_eof():
        if came := body.read_nowait():  # raises what broke the body
            full = hand(came)
        elif turns:
            full = await _turned(body, hand)
        else:
            full = hand(await body.readany())
        if full:
            await drained()


async def _turned(body: StreamReader, hand: Hand) -> bool:
    """Let a body hand on by itself until something happens."""
    _HANDING[body] = handing = _Handing(hand)
    body.__class__ = _Handed
    left = True
    try:
        await handing.woken
        left = False
    finally:
        body.__class__ = StreamReader
        del _HANDING[body]
        try:
            full = handing.flush()
        except ConnectionError:
            if not left:
                raise
    return full
