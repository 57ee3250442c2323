"""A provider on this machine, an agent's side of the wire, and the gateway between them."""

import asyncio
import http.client
import json
import socket
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from agenteval.gateway import Caps, Gateway, Pace, Session, Terms, Upstream
from agenteval.gateway.wire import wire_for
from agenteval.gateway.wire.protocol import Say, ToolCall, Usage

KEY = "real-key-of-the-operator"
QUICK = Pace(first_wait_s=0.01, tries_limited=3, tries_failed=2, longest_wait_s=5.0)
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
WAIT_S = 60
USAGE = Usage(100, 10, 5, 20)


@dataclass
class Seen:
    """A request as the provider got it."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


Step = Callable[[web.BaseRequest, Seen], Awaitable[web.StreamResponse]]


async def send(request, status: int, headers: Mapping[str, str], chunks: Sequence[bytes]):
    response = web.StreamResponse(status=status, headers=headers)
    await response.prepare(request)
    for chunk in chunks:
        await response.write(chunk)
    await response.write_eof()
    return response


def says(
    text: str = "",
    *calls: str,
    usage: Usage = USAGE,
    model: str = "answered",
) -> Step:
    """An answer in the format that was asked in; `calls` are commands for the shell."""

    async def step(request, seen):
        wire = wire_for("POST", seen.path)
        asked = wire.read(seen.path, seen.body)
        if asked.kind == "count":
            reply = wire.count(17)
        else:
            made = tuple(
                ToolCall("Bash", f"toolu_{len(text)}_{at}", {"command": command})
                for at, command in enumerate(calls)
            )
            reply = wire.say(asked, Say(text, made, usage, model))
        return await send(request, reply.status, reply.headers, reply.chunks)

    return step


def fails(status: int, body: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Step:
    """An error; headers with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def step(request, seen):
        return await send(request, status, {"content-type": "application/json"} | named, [body])

    return step


def breaks(*chunks: bytes) -> Step:
    """The connection ends after these bytes of a longer answer."""

    async def step(request, seen):
        if chunks:
            response = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await response.prepare(request)
            for chunk in chunks:
                await response.write(chunk)
            await asyncio.sleep(0.05)  # else the reset overtakes the bytes
        request.transport.abort()
        await asyncio.get_running_loop().create_future()

    return step


class Provider:
    """Speaks every wire format on a loopback port; says "ok" unless told otherwise."""

    says, fails, breaks, send = map(staticmethod, (says, fails, breaks, send))
    key, wait_s = KEY, WAIT_S

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.steps: deque[Step] = deque()
        self.cancelled = threading.Event()
        self.present = 0
        self.most_present = 0
        self.loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Provider":
        self._thread.start()
        assert self._ready.wait(WAIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(WAIT_S)

    def will(self, *steps: Step) -> None:
        """What comes next, in order."""
        self.steps.extend(steps)

    def _run(self) -> None:
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    async def _serve(self) -> None:
        server = web.Server(self._answer, handler_cancellation=True, lingering_time=0)
        runner = web.ServerRunner(server, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        seen = Seen(
            request.path_qs,
            {name.lower(): value for name, value in request.headers.items()},
            await request.content.read(),
        )
        self.seen.append(seen)
        self.present += 1
        self.most_present = max(self.most_present, self.present)
        try:
            step = self.steps.popleft() if self.steps else says("ok")
            return await step(request, seen)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        finally:
            self.present -= 1


@dataclass
class Answer:
    """What the agent got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


def message(
    text: str = "do it", *, tools: Sequence[str] = ("Bash",), stream=False, history=()
) -> dict:
    """A request of Messages."""
    return {
        "model": "asked",
        "max_tokens": 100,
        "stream": stream,
        "messages": [{"role": "user", "content": text}, *history],
        "tools": [{"name": name, "input_schema": SHELL} for name in tools],
    }


def over_socket(path: Path, request: bytes) -> bytes:
    """A raw request to a unix socket, and all that comes back."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(WAIT_S)
        line.connect(str(path))
        line.sendall(request)
        parts = []
        while piece := line.recv(65536):
            parts.append(piece)
        return b"".join(parts)


@dataclass
class Talk:
    """The agent's side: one trial's session, and requests to it."""

    gateway: Gateway
    session: Session
    message = staticmethod(message)
    over_socket = staticmethod(over_socket)

    def connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.gateway.url)
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=WAIT_S)

    def send(self, path: str, body: object = None, **headers: str) -> Answer:
        """One request of a connection of its own."""
        line = self.connect()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        try:
            line.request(method, self.session.path + path, data, named)
            response = line.getresponse()
            return Answer(
                response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
            )
        finally:
            line.close()

    def settled(self) -> Session:
        """The session, once the gateway has noted what it answered last."""
        assert self.send("/").status == 200
        return self.session

    def ask(self, text: str = "do it", *, tools: Sequence[str] = ("Bash",), **more) -> Answer:
        """One request of Messages, with a history of one message."""
        return self.send("/v1/messages", message(text, tools=tools) | more)


class PerToken:
    """A dollar for a million tokens of `answered` and `asked`; nothing else has a price."""

    name = "test-prices"

    def cost(self, model: str, usage: Usage) -> float | None:
        counts = (
            usage.input_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
        )
        if model.rpartition("/")[2] not in ("answered", "asked") or None in counts:
            return None
        return sum(counts) / 1e6


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture
def open_talk(provider: Provider, tmp_path: Path) -> Iterator[Callable[..., Talk]]:
    """Opens trials of one gateway; upstream `here` is the provider."""
    gateways: dict[str, Gateway] = {}

    def opened(
        terms: Terms | None = None, *, pace: Pace = QUICK, upstream=None, environ=None, **caps
    ):
        if "one" not in gateways:
            here = Upstream(name="here", base_url=provider.url, key_env="HERE_KEY", any_model=True)
            gateway = Gateway(
                [upstream or here],
                prices=PerToken(),
                pace=pace,
                scratch=tmp_path,
                environ={"HERE_KEY": KEY} if environ is None else environ,
            )
            gateways["one"] = gateway.__enter__()
        terms = terms or Terms(model="here/asked", caps=Caps(**caps), label="task one, repeat 1")
        return Talk(gateways["one"], gateways["one"].open(terms))

    yield opened
    for gateway in gateways.values():
        gateway.__exit__(None, None, None)


@pytest.fixture
def talk(open_talk) -> Talk:
    return open_talk()
