"""Where answers come from that no provider gives: the gateway itself, a script, a recording."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agenteval.gateway.answer import Answer, BrokeOff, ReadAlong, chunks_of, is_providers
from agenteval.gateway.faults import GARBAGE
from agenteval.gateway.recording import Recorded
from agenteval.gateway.wire.protocol import Reply, Wire
from agenteval.records import Faults

REFUSALS = {"429": (429, "rate_limit"), "500": (500, "server"), "529": (529, "overloaded")}


def planted_reply(wire: Wire, fault: str | None, faults: Faults) -> Reply | None:
    """What stands in an answer's place where a fault is planted; None where the answer comes."""
    if fault == "garbage":
        return Reply(200, {"content-type": "text/html"}, [GARBAGE])
    if fault not in REFUSALS:
        return None
    status, kind = REFUSALS[fault]
    reply = wire.refuse(status, kind, f"planted fault: {fault}")
    wait = {"retry-after": f"{faults.retry_after_s:g}"} if fault == "429" else {}
    return Reply(reply.status, {**reply.headers, **wait}, reply.chunks)


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


async def first_half(chunks: AsyncIterator[bytes], served: ReadAlong) -> AsyncIterator[bytes]:
    """The first half of an answer, which then breaks off; `served` reads all of it."""
    whole = b"".join([chunk async for chunk in chunks])
    served.take(whole)
    yield whole[: len(whole) // 2]
    raise BrokeOff("planted: cut")
