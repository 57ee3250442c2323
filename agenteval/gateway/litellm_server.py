"""A server on loopback, in this process, that answers through litellm; the gateway's upstream for clouds.

On a thread and a loop of its own: looking for credentials blocks, and no other trial waits for it.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from aiohttp import web

from agenteval.gateway.litellm_answers import Question, answer
from agenteval.gateway.litellm_failures import refusal_of
from agenteval.gateway.litellm_library import load_library
from agenteval.gateway.litellm_requests import NotForwarded
from agenteval.gateway.loop_thread import LoopThread, runner_of
from agenteval.gateway.replying import break_connection, send_reply
from agenteval.gateway.upstreams import Upstream
from agenteval.gateway.wire import wire_for
from agenteval.gateway.wire.protocol import Asked, Wire
from agenteval.gateway.wire.sse import JSON_HEADERS, STREAM_HEADERS

START_S, STOP_S = 120.0, 30.0
MODEL = re.compile(r"models/[^?]+:(?=\w+(?:\?|$))")  # a model's name may hold a colon


class LiteLLMServer:
    """Answers below a secret path, in the wire format of each request; runs until it is stopped.

    Parameters
    ----------
    environ
        Where keys are, to take them out of messages; litellm itself looks into the process's own.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ, self._token = environ, secrets.token_urlsafe(24)
        self._port = 0
        self._library: Any = load_library()
        self._thread = LoopThread("litellm", self._serve)
        self._thread.start("litellm cannot be reached", "127.0.0.1", START_S)

    def reach(self, upstream: Upstream, name: str) -> Upstream:
        """The same provider at the address where this server answers for one of its models."""
        model = quote(f"{upstream.litellm}/{name}", safe="")
        url = f"http://127.0.0.1:{self._port}/{self._token}/{model}"
        return upstream.model_copy(update={"base_url": url})

    def stop(self) -> None:
        """Answer no more; what is under way is cut off."""
        self._thread.stop(STOP_S)

    async def _serve(self) -> None:
        runner = await runner_of(self._handle)
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
            self._port = runner.addresses[0][1]
            self._thread.ready()
            await self._thread.stopping.wait()
        finally:
            await runner.cleanup()
            await self._library.close_litellm_async_clients()
            await _end_tasks()
            await self._thread.loop.shutdown_default_executor()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        _, token, model, *rest = [*request.rel_url.raw_path_qs.split("/", 3), "", ""]
        path = MODEL.sub("models/m:", f"/{rest[0]}")
        wire = wire_for(request.method, path.partition("?")[0])
        if not secrets.compare_digest(token, self._token) or wire is None:
            return web.Response(status=404, text="not found\n")
        body = await request.content.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            asked, document = _read(wire, path, body)
            question = Question(wire.name, asked, document, headers, unquote(model), self._environ)
            found = await answer(self._library, question)
            if isinstance(found, bytes):
                return await _send(request, found)
            first = await anext(aiter(found), b"")
        except NotForwarded as error:
            return await send_reply(request, wire.refuse(0, "invalid", str(error)))
        except Exception as error:  # noqa: BLE001 - litellm raises bare ones, of many libraries
            return await self._refuse(request, wire, error)
        return await _stream(request, first, found)

    async def _refuse(
        self, request: web.BaseRequest, wire: Wire, error: Exception
    ) -> web.StreamResponse:
        return await send_reply(request, refusal_of(error, wire, self._environ))


def _read(wire: Wire, path: str, body: bytes) -> tuple[Asked, dict[str, Any]]:
    """What a request asks, and its body."""
    try:
        document = json.loads(body)
        asked = wire.read(path, body)
    except ValueError as error:
        raise NotForwarded(str(error)) from error
    if not isinstance(document, dict) or asked.kind == "other":
        raise NotForwarded("this is no request of its wire format")
    return asked, document


async def _send(request: web.BaseRequest, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers=JSON_HEADERS)
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body)
    await response.write_eof()
    return response


async def _stream(
    request: web.BaseRequest, first: bytes, rest: AsyncIterator[bytes]
) -> web.StreamResponse:
    response = web.StreamResponse(headers=STREAM_HEADERS)
    await response.prepare(request)
    await response.write(first)
    try:
        async for chunk in rest:
            await response.write(chunk)
    except ConnectionError:
        raise
    except Exception:  # noqa: BLE001 - whatever it was, the provider's answer has ended too early
        return await break_connection(request)
    await response.write_eof()
    return response


async def _end_tasks() -> None:
    """End what litellm has begun beside the requests: its log, its clean-up of connections."""
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
