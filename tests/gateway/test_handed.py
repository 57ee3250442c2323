"""Bodies that hand themselves on: real connections, one loop."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest

from agenteval.gateway import handed
from agenteval.gateway.answer import BrokeOff
from agenteval.gateway.collecting import ENOUGH, collected_rarely
from agenteval.gateway.silence import Silence, _is_gone

HEAD = b"HTTP/1.1 200 OK\r\n"
Serve = Callable[[asyncio.StreamWriter], Awaitable[None]]


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)


@asynccontextmanager
async def asked(serve: Serve):
    """A client, the address that `serve` answers at, and the connections that were made to it."""
    made: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        made.append(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await serve(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=1), timeout=aiohttp.ClientTimeout(total=60)
        ) as client:
            yield client, url, made
    finally:
        server.close()
        await server.wait_closed()


def sends(*parts: bytes, ends: bool = False) -> Serve:
    async def serve(writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
        if ends:
            writer.close()

    return serve


async def never() -> None:
    raise AssertionError("nothing was too much")


BODIES = {
    "chunked": sends(
        HEAD + b"transfer-encoding: chunked\r\n\r\n", chunked(b"one ", b"two"), b"0\r\n\r\n"
    ),
    "of a length": sends(HEAD + b"content-length: 7\r\n\r\none ", b"two"),
    "until the connection ends": sends(HEAD + b"\r\none ", b"two", ends=True),
    "there at once": sends(
        HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(b"one ", b"two") + b"0\r\n\r\n"
    ),
}


@pytest.mark.parametrize("serve", BODIES.values(), ids=BODIES)
def test_bodies_of_each_kind_are_handed_on(serve):
    async def main() -> list[bytes]:
        got: list[bytes] = []
        async with asked(serve) as (client, url, _), client.get(url) as response:
            await handed.hand_on(response.content, lambda data: bool(got.append(data)), never)
            assert type(response.content) is aiohttp.StreamReader
        return got

    assert b"".join(asyncio.run(main())) == b"one two"
    assert handed._HANDING == {}


def test_each_chunk_is_handed_on_before_the_next_is_sent():
    async def main() -> None:
        got: list[bytes] = []
        arrived = asyncio.Event()

        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n")
            for number in range(5):
                arrived.clear()
                writer.write(chunked(b"%d" % number))
                await arrived.wait()
            writer.write(b"0\r\n\r\n")

        def hand(data: bytes) -> bool:
            turned.append(type(response.content) is not aiohttp.StreamReader)
            got.append(data)
            arrived.set()
            return False

        turned: list[bool] = []
        async with asked(serve) as (client, url, _), client.get(url) as response:
            await handed.hand_on(response.content, hand, never)
        assert got == [b"0", b"1", b"2", b"3", b"4"]
        assert turned[1:] == [True] * 4  # this release of aiohttp lets a body hand itself on

    asyncio.run(main())


def test_any_number_of_chunks_comes_through():
    """aiohttp stops a connection at some number of chunks that nobody has read."""
    pieces = [b"%d " % number for number in range(60_000)]

    async def main() -> bytes:
        got: list[bytes] = []
        serve = sends(HEAD + b"transfer-encoding: chunked\r\n\r\n", chunked(*pieces), b"0\r\n\r\n")
        async with asked(serve) as (client, url, _), client.get(url) as response:
            await handed.hand_on(response.content, lambda data: bool(got.append(data)), never)
        return b"".join(got)

    assert asyncio.run(main()) == b"".join(pieces)


def test_who_reads_slowly_slows_the_provider():
    piece, count = b"x" * (1 << 16), 1000

    async def main() -> None:
        sent, seen, got = 0, [], 0

        async def serve(writer: asyncio.StreamWriter) -> None:
            nonlocal sent
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n")
            for _ in range(count):
                writer.write(chunked(piece))
                await writer.drain()
                sent += len(piece)
            writer.write(b"0\r\n\r\n")

        def hand(data: bytes) -> bool:
            nonlocal got
            got += len(data)
            return got > (1 << 20)

        async def drained() -> None:
            if not seen:  # turns enough to send everything twice
                for _ in range(2 * count):
                    await asyncio.sleep(0)
                seen.append(sent)

        async with asked(serve) as (client, url, _), client.get(url) as response:
            await handed.hand_on(response.content, hand, drained)
        assert got == count * len(piece)
        assert seen[0] < got / 2

    asyncio.run(main())


def test_what_breaks_off_is_handed_on_up_to_there():
    async def main() -> None:
        got: list[bytes] = []
        serve = sends(HEAD + b"transfer-encoding: chunked\r\n\r\n", chunked(b"half"), ends=True)
        async with asked(serve) as (client, url, _), client.get(url) as response:
            with pytest.raises(aiohttp.ClientPayloadError):
                await handed.hand_on(response.content, lambda data: bool(got.append(data)), never)
        assert got == [b"half"]

    asyncio.run(main())
    assert handed._HANDING == {}


def test_what_the_function_raises_is_the_tasks():
    async def main() -> None:
        def hand(data: bytes) -> bool:
            raise ConnectionResetError("the agent left")

        async with asked(BODIES["chunked"]) as (client, url, _), client.get(url) as response:
            with pytest.raises(ConnectionResetError, match="the agent left"):
                await handed.hand_on(response.content, hand, never)

    asyncio.run(main())
    assert handed._HANDING == {}


def test_a_task_that_is_cancelled_leaves_the_body_as_it_was():
    async def main() -> None:
        first = asyncio.Event()

        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(b"first"))
            await asyncio.get_running_loop().create_future()

        def hand(data: bytes) -> bool:
            first.set()
            return False

        async with asked(serve) as (client, url, made), client.get(url) as response:
            task = asyncio.create_task(handed.hand_on(response.content, hand, never))
            await first.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert type(response.content) is aiohttp.StreamReader
            made[0].transport.abort()

    asyncio.run(main())
    assert handed._HANDING == {}


def test_a_connection_is_good_for_the_next_answer():
    async def main() -> None:
        got: list[bytes] = []
        async with asked(BODIES["chunked"]) as (client, url, made):
            for _ in range(3):
                async with client.get(url) as response:
                    await handed.hand_on(
                        response.content, lambda data: bool(got.append(data)), never
                    )
            assert len(made) == 1
        assert b"".join(got) == b"one two" * 3

    asyncio.run(main())


def test_a_body_of_another_kind_is_read_as_everybody_reads_it(monkeypatch):
    monkeypatch.setattr(handed, "POSSIBLE", False)

    async def main() -> None:
        got: list[bytes] = []
        async with asked(BODIES["chunked"]) as (client, url, _), client.get(url) as response:

            def hand(data: bytes) -> bool:
                assert type(response.content) is aiohttp.StreamReader
                return bool(got.append(data))

            await handed.hand_on(response.content, hand, never)
        assert b"".join(got) == b"one two"

    asyncio.run(main())


def test_bytes_for_an_agent_that_left_are_no_trouble_of_the_loop():
    async def main() -> None:
        troubles: list[dict] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, said: troubles.append(said))
        first = asyncio.Event()
        left = False

        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(b"first"))
            await asyncio.get_running_loop().create_future()

        def hand(data: bytes) -> bool:
            first.set()
            if left:
                raise ConnectionResetError("the agent left")
            return False

        async with asked(serve) as (client, url, made), client.get(url) as response:
            task = asyncio.create_task(handed.hand_on(response.content, hand, never))
            await first.wait()
            response.content.feed_data(b"more")  # what comes in the turn in which the agent leaves
            left = True
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(0)
            made[0].transport.abort()
        assert troubles == []

    asyncio.run(main())


def test_an_agent_that_reads_slowly_is_no_silence_of_the_provider():
    async def main() -> None:
        silence, reading, slow = Silence(1000.0), asyncio.Event(), asyncio.Event()

        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(b"first"))
            await asyncio.get_running_loop().create_future()

        async def drained() -> None:
            slow.set()
            await reading.wait()

        def long_ago() -> None:
            ((response, (heard, size)),) = silence._heard.items()
            silence._heard[response] = (heard - 5000.0, response.content.total_bytes)
            silence._look()

        async with asked(serve) as (client, url, made), client.get(url) as response:
            task = asyncio.create_task(silence.handing(response)(lambda data: True, drained))
            await slow.wait()
            long_ago()
            assert response in silence._heard
            reading.set()
            while silence._waiting:
                await asyncio.sleep(0)
            long_ago()
            with pytest.raises(BrokeOff, match="nothing came for 1000 s"):
                await task
            made[0].transport.abort()
        silence.close()
        assert (silence._heard, silence._given_up, silence._waiting) == ({}, {}, set())

    asyncio.run(main())


def test_bytes_that_are_no_http_end_an_answer():
    """aiohttp closes such a connection and does not tell the body."""

    async def main() -> None:
        silence, first, got = Silence(1000.0), asyncio.Event(), []

        async def serve(writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD + b"transfer-encoding: chunked\r\n\r\n" + chunked(b"first"))
            await first.wait()
            writer.write(b"no number\r\nxyz")

        def hand(data: bytes) -> bool:
            got.append(data)
            first.set()
            return False

        async with asked(serve) as (client, url, _), client.get(url) as response:
            task = asyncio.create_task(silence.handing(response)(hand, never))
            while not task.done() and not _is_gone(response):
                await asyncio.sleep(0)
            if not task.done():
                silence._look()
            with pytest.raises((BrokeOff, aiohttp.ClientError)):
                await task
        silence.close()
        assert got == [b"first"]

    asyncio.run(main())


@pytest.fixture
def thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_collections_are_rare_while_a_gateway_is_open(thresholds):
    with collected_rarely():
        with collected_rarely():
            assert gc.get_threshold() == (ENOUGH, 10, 10)
        assert gc.get_threshold() == (ENOUGH, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (10 * ENOUGH, 5, 5)])
def test_a_collector_that_somebody_has_set_stays_so(thresholds, own):
    gc.set_threshold(*own)
    with collected_rarely():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own
    gc.set_threshold(700, 10, 10)
    with collected_rarely():
        gc.set_threshold(*own)
    assert gc.get_threshold() == own
