"""The body of an answer on its way to the agent: each chunk at once, byte for byte."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable

from aiohttp import web
from aiohttp.http_writer import StreamWriter

from agenteval.gateway.answer import ReadAlong
from agenteval.gateway.asked_usage import UsageHidden, wants_usage
from agenteval.gateway.handed import Drained, HandOn
from agenteval.gateway.visit import Visit


async def pass_on(
    visit: Visit,
    response: web.StreamResponse,
    chunks: AsyncIterator[bytes],
    along: ReadAlong,
    hand_on: HandOn | None = None,
) -> None:
    """Write each chunk as it comes, read along, and note when it came.

    Parameters
    ----------
    chunks
        The body.
    hand_on
        Hands the body on in place of `chunks`, for less time of the processor.
    """
    started, session = visit.exchange.started, visit.session
    kept = visit.chunks if session.recorder is not None else None
    streams = response.content_type == "text/event-stream"
    hidden = UsageHidden() if streams and wants_usage(visit.wire, visit.asked) else None
    writer = await response.prepare(visit.request)
    assert isinstance(writer, StreamWriter)  # nothing has been ended yet
    write, is_full, drained = _writing(writer)

    def hand(chunk: bytes) -> bool:
        now = time.monotonic()
        if visit.first_byte is None:
            visit.first_byte = now
        try:
            if shown := chunk if hidden is None else hidden.feed(chunk):
                write(shown)
        finally:  # the provider has served it, and the agent may have it, also where it leaves here
            along.take(chunk)
            if kept is not None:
                kept.append((now - started, chunk))
        session.touch(now)
        return is_full()

    if hand_on is not None:
        await hand_on(hand, drained)
    else:
        async for chunk in chunks:
            if hand(chunk):
                await drained()
    if hidden is not None and (rest := hidden.rest()):
        write(rest)


def _writing(
    writer: StreamWriter,
) -> tuple[Callable[[bytes], None], Callable[[], bool], Drained]:
    """Write a piece of a body at once, without a task; whether more must wait; wait for that."""
    writer.send_headers()
    transport = writer.transport
    if transport is None:
        raise ConnectionResetError("the agent left")
    _, high = transport.get_write_buffer_limits()
    buffered, chunked, closing, write = (
        transport.get_write_buffer_size, writer.chunked, transport.is_closing, transport.write,
    )  # fmt: skip

    def written(data: bytes) -> None:
        if closing():
            raise ConnectionResetError("the agent left")
        write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)

    async def drained() -> None:
        try:
            await writer.drain()
        except ConnectionError as error:  # aiohttp's own is one of a client, as for the provider
            raise ConnectionResetError("the agent left") from error

    return written, lambda: buffered() > high, drained
