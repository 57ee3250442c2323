"""Providers that say nothing more in the middle of an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import aiohttp

from agenteval.gateway.answer import BrokeOff
from agenteval.gateway.handed import Drained, Hand, HandOn, hand_on


class Silence:
    """Closes answers that have stopped to come; lives in the gateway's loop.

    One timer looks at how much has come of all answers: one for each chunk would cost more than
    passing the chunk on.

    Parameters
    ----------
    longest_s
        Seconds without a byte.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._heard: dict[aiohttp.ClientResponse, tuple[float, int]] = {}
        self._waiting: set[aiohttp.ClientResponse] = set()
        self._given_up: dict[aiohttp.ClientResponse, str] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def watched(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        """The body as it comes.

        Raises
        ------
        BrokeOff
            When nothing comes for too long.
        """
        with self._listening(response):
            while chunk := await response.content.readany():
                yield chunk

    def handing(self, response: aiohttp.ClientResponse) -> HandOn:
        """What hands the body on as it comes, in place of `watched`; raises the same."""

        async def handed(hand: Hand, drained: Drained) -> None:
            async def waited() -> None:  # for the agent: the provider has been told to wait
                self._waiting.add(response)
                try:
                    await drained()
                finally:
                    self._waiting.discard(response)

            with self._listening(response):
                await hand_on(response.content, hand, waited)

        return handed

    @contextmanager
    def _listening(self, response: aiohttp.ClientResponse) -> Iterator[None]:
        self._heard[response] = (time.monotonic(), 0)
        if self._timer is None:
            self._look_again()
        try:
            yield
        except (aiohttp.ClientError, OSError) as error:
            why = self._given_up.get(response)
            if why is None:
                raise
            raise BrokeOff(why) from error
        finally:
            self._heard.pop(response, None)
            self._given_up.pop(response, None)

    def close(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(min(self._longest_s / 4, 5.0), self._look)

    def _look(self) -> None:
        self._timer, now = None, time.monotonic()
        for response, (heard, size) in list(self._heard.items()):
            came = response.content.total_bytes
            if came != size or response in self._waiting:
                self._heard[response] = (now, came)
            elif _is_gone(response):
                self._give_up(response, "the connection ended in the middle of the answer")
            elif heard < now - self._longest_s:
                self._give_up(response, f"nothing came for {self._longest_s:g} s")
        if self._heard:
            self._look_again()

    def _give_up(self, response: aiohttp.ClientResponse, why: str) -> None:
        del self._heard[response]
        self._given_up[response] = why
        response.close()


def _is_gone(response: aiohttp.ClientResponse) -> bool:
    """Whether the connection has ended and the body was not told: after bytes that are no HTTP."""
    connection = response.connection
    transport = None if connection is None else connection.transport
    return connection is not None and (transport is None or transport.is_closing())
