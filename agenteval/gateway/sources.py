"""Where answers come from that no provider gives: the gateway itself, a script, a recording."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agenteval.gateway.answer import Answer, BrokeOff, chunks_of, is_providers
from agenteval.gateway.recording import Recorded
from agenteval.gateway.wire.protocol import Reply


@asynccontextmanager
async def own_answer(
    reply: Reply, late_s: float = 0.0, *, provider_error: bool = False
) -> AsyncIterator[Answer]:
    """An answer of our own.

    Parameters
    ----------
    late_s
        Seconds that it is late, on top of its own delay.
    provider_error
        Whether it stands for a provider that failed.
    """
    headers = {name.lower(): value for name, value in reply.headers.items()}
    headers.pop("content-length", None)
    chunks = chunks_of(reply.chunks, late_s=late_s + reply.delay_s, gap_s=reply.gap_s)
    yield Answer(reply.status, headers, chunks, provider_error=provider_error)


@asynccontextmanager
async def recorded_answer(recorded: Recorded, late_s: float) -> AsyncIterator[Answer]:
    """An answer as it was recorded, the first byte late by so many seconds."""
    parts = [data for _, data in recorded.chunks]
    chunks = chunks_of(parts, end=recorded.end, late_s=late_s)
    status = recorded.status or 502
    yield Answer(status, recorded.headers, chunks, provider_error=is_providers(status))


async def first_half(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The first half of an answer, which then breaks off; the provider's is read to its end."""
    whole = b"".join([chunk async for chunk in chunks])
    yield whole[: len(whole) // 2]
    raise BrokeOff("planted: cut")
