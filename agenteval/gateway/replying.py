"""What the gateway says to an agent on its own account."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from urllib.parse import unquote

from aiohttp import web

from agenteval.gateway.wire.protocol import Reply


async def send_reply(request: web.BaseRequest, reply: Reply) -> web.StreamResponse:
    """Send a whole reply of our own."""
    headers = {name.lower(): value for name, value in reply.headers.items()}
    headers.pop("content-length", None)
    response = web.StreamResponse(status=reply.status, headers=headers)
    await response.prepare(request)
    for chunk in reply.chunks:
        await response.write(chunk)
    await response.write_eof()
    return response


async def break_connection(request: web.BaseRequest) -> web.StreamResponse:
    """Break the connection, as hard as it goes; the handler is cancelled by that."""
    transport = request.transport
    if transport is not None:
        line = transport.get_extra_info("socket")
        if line is not None and line.family in (socket.AF_INET, socket.AF_INET6):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    await asyncio.get_running_loop().create_future()
    raise AssertionError("not reached")


def is_straight(path: str) -> bool:
    """Whether a path says itself where it leads: one that a provider may resolve to another does not.

    >>> is_straight("/v1/messages"), is_straight("/v1/messages/../files/v1/messages")
    (True, False)
    >>> is_straight("/v1beta/models/a:countTokens/%2e%2E/b:generateContent")
    False
    """
    return not {".", ".."} & set(unquote(path).split("/"))


def without_key(path: str) -> str:
    """A path whose query holds no key.

    >>> without_key("/v1beta/models/m:generateContent?alt=sse&key=dummy")
    '/v1beta/models/m:generateContent?alt=sse'
    """
    bare, _, query = path.partition("?")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] != "key"]
    return f"{bare}?{'&'.join(kept)}" if kept else bare


def answer_other(method: str, path: str, model: str | None) -> web.Response:
    """What is no request to a model is answered here, and goes nowhere: lists, telemetry, updates."""
    if method == "GET" and path.rstrip("/").endswith("/models"):
        name = model or "scripted"
        listed = {"id": name, "object": "model", "type": "model", "display_name": name}
        google = {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]}
        told = {"object": "list", "data": [listed], "models": [google], "has_more": False}
        return web.json_response(told, dumps=json.dumps)
    if method in ("GET", "HEAD") and path in ("", "/"):
        return web.json_response({"ok": True})
    return web.json_response(
        {"error": {"message": f"nothing is forwarded from here: {method} {path}"}}, status=404
    )
