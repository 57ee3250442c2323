"""Asking the provider: with its own key, at the common pace, and again where that may help."""

from __future__ import annotations

import asyncio
import io
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from agenteval.gateway.answer import Answer, BrokeOff, chunks_of, is_providers, said_of
from agenteval.gateway.pacing import Pace, Pacer, Waited
from agenteval.gateway.quota import Later, read_refusal
from agenteval.gateway.silence import Silence
from agenteval.gateway.upstreams import Upstream
from agenteval.gateway.wire.protocol import Wire
from agenteval.sandbox import mask

# never handed on: they belong to one connection, or are a key
NOT_SENT = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "host", "content-length", "content-encoding", "expect",
        "accept-encoding", "authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie",
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "proxy-connection",
    }
)  # fmt: skip
NOT_GIVEN = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "te", "trailer", "transfer-encoding",
        "upgrade", "set-cookie", "alt-svc", "content-length", "date", "server",
    }
)  # fmt: skip
CONNECT_S = 20.0
LARGEST_ERROR = 1 << 20
LARGE = 1 << 19  # sent in pieces, so that others get their turn


@dataclass(frozen=True)
class Outgoing:
    """A request that goes to a provider."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    wire: Wire


@dataclass(frozen=True)
class _Failed:
    """A try that did not succeed: what it means, and the answer if it was the last."""

    later: Later | None
    answer: Answer


class Forwarder:
    """Asks providers; lives in the gateway's loop.

    Parameters
    ----------
    pace
        For every provider, where it has no limits of its own.
    environ
        Where keys are.
    """

    def __init__(self, pace: Pace, environ: Mapping[str, str]) -> None:
        self._pace, self._environ = pace, environ
        self._pacers: dict[str, Pacer] = {}
        self._proxies = urllib.request.getproxies()
        self._silences: dict[float, Silence] = {}
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, limit_per_host=0, keepalive_timeout=60),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            skip_auto_headers=("User-Agent", "Content-Type"),
            read_bufsize=1 << 18,
        )

    async def close(self) -> None:
        """Close all connections."""
        for silence in self._silences.values():
            silence.close()
        await self._client.close()

    def pacer(self, upstream: Upstream) -> Pacer:
        """The pacer of one provider."""
        if upstream.name not in self._pacers:
            self._pacers[upstream.name] = Pacer(upstream.paced(self._pace))
        return self._pacers[upstream.name]

    def quota_until(self, name: str) -> datetime | None:
        """When a provider's quota is there again, if it said that it is used up."""
        return self._pacers[name].quota_until if name in self._pacers else None

    @asynccontextmanager
    async def ask(
        self, upstream: Upstream, asked: Outgoing, waited: Waited
    ) -> AsyncIterator[Answer]:
        """Ask until there is an answer for the agent, and hold it open while it is read."""
        pacer, limited, failed, spent_s = self.pacer(upstream), 0, 0, 0.0
        while True:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(pacer.place(waited))
                waited.sent = True
                result = await self._try(stack, upstream, asked)
                if isinstance(result, Answer):
                    yield result
                    return
                later, waited.sent = result.later, False
                tries, most = (
                    (limited, self._pace.tries_limited)
                    if later is not None and later.limited
                    else (failed, self._pace.tries_failed)
                )
                wait_s = self._wait_s(pacer, later, tries, spent_s)
                if wait_s is None or tries >= most:
                    if later is not None and later.used_up:
                        pacer.quota_until = later.until
                    yield result.answer
                    return
            waited.retries += 1
            spent_s += wait_s  # and not its time in line, which the operator's limits make long
            if later is not None and later.limited:
                limited += 1
                pacer.close_for(wait_s)
            else:
                failed += 1
                await asyncio.sleep(wait_s)

    def _wait_s(
        self, pacer: Pacer, later: Later | None, tries: int, spent_s: float
    ) -> float | None:
        """Seconds before the next try, after so many before former ones; None where there is none."""
        if later is None or (later.used_up and later.wait_s is None):
            return None
        wait_s = max(pacer.backoff_s(tries), later.wait_s or 0.0)
        return None if spent_s + wait_s > self._pace.longest_wait_s else wait_s

    async def _try(
        self, stack: AsyncExitStack, upstream: Upstream, asked: Outgoing
    ) -> Answer | _Failed:
        url, pace = upstream.url(asked.path), self.pacer(upstream).pace
        headers = {
            name: value
            for name, value in asked.headers.items()
            if name not in NOT_SENT and not name.startswith("proxy-")
        }
        headers = upstream.opened(headers, self._environ) | {"accept-encoding": "identity"}
        try:
            async with asyncio.timeout(pace.silence_s):
                response = await stack.enter_async_context(
                    self._client.request(
                        asked.method,
                        URL(url, encoded=True),
                        data=io.BytesIO(asked.body)
                        if len(asked.body) > LARGE
                        else asked.body or None,
                        headers=headers,
                        allow_redirects=False,
                        proxy=self._proxy(url),
                    )
                )
            status = response.status
            given = {name.lower(): value for name, value in response.headers.items()}
            silence = self._silences.setdefault(pace.silence_s, Silence(pace.silence_s))
            if status < 400:
                chunks, hand_on = silence.watched(response), silence.handing(response)
                return Answer(status, _kept(given), chunks, given, hand_on=hand_on)
            body = await _read(silence.watched(response))
            if (key := upstream.secret(self._environ)) is not None:
                body = mask(body, {key[0]: key[1]})  # some say in their refusal what they were sent
        except (aiohttp.ClientError, TimeoutError, OSError, BrokeOff) as error:
            return self._unreached(upstream, asked, error)
        later = read_refusal(status, given, body, now=datetime.now(UTC))
        ours = is_providers(status) or (later is not None and later.limited)
        answer = Answer(
            status, _kept(given), chunks_of([body]), given, provider_error=ours, later=later
        )
        return _Failed(later, answer) if later is not None else answer

    def _unreached(self, upstream: Upstream, asked: Outgoing, error: Exception) -> _Failed:
        said = said_of(error)
        reply = asked.wire.refuse(502, "server", f"{upstream.name} cannot be reached: {said}")
        answer = Answer(
            reply.status,
            reply.headers,
            chunks_of(reply.chunks),
            {},
            provider_error=True,
            note=f"{upstream.name} cannot be reached: {said}",
        )
        # an agent has waited long enough by then
        silent = isinstance(error, TimeoutError | BrokeOff)
        return _Failed(None if silent else Later(limited=False), answer)

    def _proxy(self, url: str) -> str | None:
        """The operator's proxy for an address; none for this machine's own."""
        parts = urlsplit(url)
        proxy = self._proxies.get(parts.scheme)
        here = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if proxy is None or here or urllib.request.proxy_bypass(parts.netloc):
            return None
        return proxy


async def _read(chunks: AsyncIterator[bytes]) -> bytes:
    parts, size = [], 0
    async for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > LARGEST_ERROR:
            break
    return b"".join(parts)


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in NOT_GIVEN}
