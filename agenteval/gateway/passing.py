"""The body of an answer on its way to the agent: each chunk at once, byte for byte."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from aiohttp import web

from agenteval.gateway.answer import ReadAlong
from agenteval.gateway.asked_usage import UsageHidden, wants_usage
from agenteval.gateway.visit import Visit


async def pass_on(
    visit: Visit, response: web.StreamResponse, chunks: AsyncIterator[bytes], along: ReadAlong
) -> None:
    """Write each chunk as it comes, read along, and note when it came."""
    started, keep = visit.exchange.started, visit.session.recorder is not None
    streams = response.content_type == "text/event-stream"
    hidden = UsageHidden() if streams and wants_usage(visit.wire, visit.asked) else None
    async for chunk in chunks:
        now = time.monotonic()
        if visit.first_byte is None:
            visit.first_byte = now
        try:
            if shown := chunk if hidden is None else hidden.feed(chunk):
                await response.write(shown)
        finally:  # the provider has served it, and the agent may have it, also where it leaves here
            along.take(chunk)
            if keep:
                visit.chunks.append((now - started, chunk))
        visit.session.touch()
    if hidden is not None and (rest := hidden.rest()):
        await response.write(rest)
