"""The parts of the gateway's benchmark, a process each: `provider`, `gateway`, `client`.

Each prints one line of JSON when it is ready, and does what a line on its input asks for.
"""

import asyncio
import json
import os
import resource
import statistics
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from aiohttp import web

CHUNKS, GAP_S = 40, 0.02
EVENT = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a few words "}}\n\n'
HEAD = b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
TAIL = b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":400}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
STREAM = HEAD + EVENT * CHUNKS + TAIL
WHOLE = json.dumps(
    {"type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "words " * 200}],
     "stop_reason": "end_turn", "usage": {"input_tokens": 1000, "output_tokens": 400}}
).encode()  # fmt: skip


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


def request_body(*, stream: bool) -> bytes:
    """As large as a coding agent's first requests are: tools and a long prompt."""
    tools = [{"name": f"Tool{n}", "description": "d" * 800, "input_schema": {"type": "object"}} for n in range(15)]  # fmt: skip
    text = [{"role": "user", "content": "p" * 20_000}]
    return json.dumps({"model": "m", "stream": stream, "messages": text, "tools": tools}).encode()


async def provide(request: web.BaseRequest) -> web.StreamResponse:
    body = await request.read()
    if b'"stream": true' not in body:
        return web.Response(body=WHOLE, content_type="application/json")
    gap_s = 0.002 if "close" in request.rel_url.raw_query_string else GAP_S
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    await response.write(HEAD)
    for _ in range(CHUNKS):
        await response.write(EVENT)
        await asyncio.sleep(gap_s)
    await response.write(TAIL)
    await response.write_eof()
    return response


@asynccontextmanager
async def serving():
    runner = web.ServerRunner(web.Server(provide))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def provider() -> None:
    async with serving() as url:
        say(url=url)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


def gateway(upstream: str, trials: int) -> None:
    from agenteval.gateway import Gateway, PriceTable, Terms, Upstream

    here = Upstream(name="here", base_url=upstream)
    with Gateway([here], prices=PriceTable.load(), scratch=Path(sys.argv[4])) as running:
        sessions = [running.open(Terms(model="here/m")) for _ in range(trials)]
        say(urls=[running.url + session.path for session in sessions])
        for line in sys.stdin:
            if line.strip() == "cpu":
                times = os.times()
                peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                say(user_s=times.user, system_s=times.system, peak_mb=peak_kb / 1024)
            else:
                traffic = [session.close() for session in sessions]
                say(
                    requests=sum(t.requests for t in traffic),
                    turns=sum(t.turns for t in traffic),
                    errors=sum(t.provider_errors for t in traffic),
                    output_tokens=sum(t.output_tokens or 0 for t in traffic),
                )


async def one(client: aiohttp.ClientSession, url: str, body: bytes) -> tuple[float, float, bytes]:
    """Seconds to the first byte and to the last one, and the answer."""
    started = time.perf_counter()
    async with client.post(f"{url}", data=body) as response:
        assert response.status == 200, await response.text()
        first, parts = None, []
        async for chunk in response.content.iter_any():
            first = first or time.perf_counter()
            parts.append(chunk)
    return (first or started) - started, time.perf_counter() - started, b"".join(parts)


async def client() -> None:
    timeout = aiohttp.ClientTimeout(total=None)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        say(ready=True)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            if asked["what"] == "latency":
                say(**await latency(session, asked))
            else:
                say(**await flood(session, asked))


async def latency(session: aiohttp.ClientSession, asked: dict) -> dict:
    """One at a time, the two ways in turn, so that noise is shared."""
    body = request_body(stream=asked["stream"])
    seen: dict[str, list[tuple[float, float]]] = {"direct": [], "gateway": []}
    for _ in range(asked["rounds"]):
        for way in seen:
            first, last, _data = await one(session, asked[way] + "/v1/messages?close", body)
            seen[way].append((first, last))
    return {
        way: [statistics.median(pair[which] for pair in pairs) * 1000 for which in (0, 1)]
        for way, pairs in seen.items()
    }


async def flood(session: aiohttp.ClientSession, asked: dict) -> dict:
    """All trials at once, each some streams after one another."""
    body, started = request_body(stream=True), time.perf_counter()

    async def trial(url: str) -> int:
        wrong = 0
        for _ in range(asked["each"]):
            _first, _last, data = await one(session, url + "/v1/messages", body)
            wrong += data != STREAM
        return wrong

    wrong = await asyncio.gather(*(trial(url) for url in asked["urls"]), return_exceptions=True)
    failed = [str(error) for error in wrong if isinstance(error, BaseException)]
    return {
        "wall_s": time.perf_counter() - started,
        "wrong": sum(count for count in wrong if isinstance(count, int)),
        "failed": failed[:3],
    }


if __name__ == "__main__":
    role = sys.argv[1]
    if role == "gateway":
        gateway(sys.argv[2], int(sys.argv[3]))
    else:
        asyncio.run(provider() if role == "provider" else client())
