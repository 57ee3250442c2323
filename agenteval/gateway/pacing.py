"""Concurrency, rate and waiting, for each provider once and for all trials together."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Pace:
    """How hard a provider is asked, and how patiently; `Upstream` has some of it for one alone.

    Attributes
    ----------
    concurrency
        Requests with the provider at the same time, of all trials.
    requests_per_minute
        Requests begun in a minute, of all trials; None for no limit.
    tries_limited
        Further tries after the provider said that it is asked too often (429, 529).
    tries_failed
        Further tries after it failed otherwise (5xx, no connection).
    first_wait_s
        Bound of the first wait where the provider names none; it doubles each time.
    longest_wait_s
        A wait longer than this is not waited for: the agent gets the provider's answer.
    silence_s
        Seconds without a byte from the provider after which it counts as down.
    """

    concurrency: int = 256
    requests_per_minute: float | None = None
    tries_limited: int = 6
    tries_failed: int = 3
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0
    silence_s: float = 600.0


class Pacer:
    """Lets requests to one provider through; lives in the gateway's loop.

    A provider that says "too often" to one trial is left alone by all of them until the time it
    named; then they come back spread out, not all at once.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._places = asyncio.Semaphore(pace.concurrency)
        self._jitter = random.Random()
        self._next = 0.0
        self._closed_until = 0.0
        self.quota_until: datetime | None = None

    @asynccontextmanager
    async def place(self, waited: Waited) -> AsyncIterator[None]:
        """Hold one of the places; the time until it is free is added to `waited`."""
        began = time.monotonic()
        waited.tell(1)
        try:
            await self._places.acquire()
            try:
                while (wait := self._wait()) > 0:
                    await asyncio.sleep(wait)
            except BaseException:
                self._places.release()
                raise
        finally:
            waited.tell(-1)
            waited.seconds += time.monotonic() - began
        try:
            yield
        finally:
            self._places.release()

    def _wait(self) -> float:
        """Seconds until a request may go; takes the slot when there are none."""
        now = time.monotonic()
        if now < self._closed_until:
            return self._closed_until - now + self._jitter.uniform(0, self.pace.first_wait_s)
        if self.pace.requests_per_minute is None:
            return 0.0
        if now < self._next:
            return self._next - now
        self._next = max(now, self._next) + 60 / self.pace.requests_per_minute
        return 0.0

    def close_for(self, wait_s: float) -> None:
        """Let nobody through for so long."""
        self._closed_until = max(self._closed_until, time.monotonic() + wait_s)

    def backoff_s(self, number: int) -> float:
        """Wait before a further try (counted from 0) where the provider names none: full jitter."""
        bound = min(self.pace.longest_wait_s, self.pace.first_wait_s * 2**number)
        return self._jitter.uniform(bound / 2, bound)


@dataclass
class Waited:
    """Seconds that one request has waited for the provider's limits, and its further tries.

    `tell` is called with 1 when a wait begins and with -1 when it ends; `sent` says whether the
    provider has the request and has not refused it.
    """

    tell: Callable[[int], None]
    seconds: float = 0.0
    retries: int = 0
    sent: bool = False
