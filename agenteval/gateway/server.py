"""The gateway itself: one loopback server and one unix socket, on a thread and a loop of its own."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from aiohttp import web

from agenteval.errors import EngineError, InvalidInput
from agenteval.gateway.collecting import collected_rarely
from agenteval.gateway.forwarding import Forwarder
from agenteval.gateway.handling import Handler
from agenteval.gateway.loop_thread import LoopThread, runner_of
from agenteval.gateway.meter import Meter
from agenteval.gateway.normalising import read_rules
from agenteval.gateway.pacing import Pace
from agenteval.gateway.prices import Prices
from agenteval.gateway.recording import Recorder, read_recording
from agenteval.gateway.replay import Player
from agenteval.gateway.session import Session
from agenteval.gateway.terms import Terms
from agenteval.gateway.upstreams import Upstream, upstream_of
from agenteval.gateway.wire import WIRES

if TYPE_CHECKING:
    from agenteval.gateway.litellm_server import LiteLLMServer

LONGEST_SOCKET_PATH = 100
START_S, STOP_S = 60.0, 60.0


class Gateway:
    """Stands between every agent and its model; a context manager.

    It listens on 127.0.0.1, on a port of the system's choice, and on a unix socket in a private
    folder, and answers only below a trial's secret path. Real keys stay in this process.

    Parameters
    ----------
    upstreams
        Providers beside the known ones (`anthropic`, `openai`, `google`).
    prices
        What answers cost.
    pace
        How hard each provider is asked, by all trials together.
    scratch
        Folder for the socket; one whose path is too long for a socket is replaced by a folder for
        temporary files.
    environ
        Where keys are; the engine's own environment by default.

    Attributes
    ----------
    url
        `http://127.0.0.1:PORT`.
    port
        Port on 127.0.0.1.
    socket
        Path of the unix socket.
    """

    def __init__(
        self,
        upstreams: Sequence[Upstream] = (),
        *,
        prices: Prices,
        pace: Pace | None = None,
        scratch: Path,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._upstreams, self._prices = tuple(upstreams), prices
        self._pace, self._environ = pace or Pace(), os.environ if environ is None else environ
        self._folder = tempfile.TemporaryDirectory(
            prefix="gw-", dir=scratch if len(str(scratch)) < LONGEST_SOCKET_PATH - 20 else None
        )
        self.socket = Path(self._folder.name, "gateway.sock")
        self.url, self.port = "", 0
        self._sessions: dict[str, Session] = {}
        self._thread = LoopThread("gateway", self._serve)
        self._forwarder: Forwarder | None = None
        self._starting = threading.Lock()
        self._litellm: LiteLLMServer | None = None
        self._rarely = ExitStack()

    def __enter__(self) -> Gateway:
        try:
            self._thread.start("The model gateway does not start", str(self.socket), START_S)
        except EngineError:
            self._folder.cleanup()
            raise
        self._rarely.enter_context(collected_rarely())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for session in list(self._sessions.values()):
            session.close()
        self._thread.stop(STOP_S)
        if self._litellm is not None:
            self._litellm.stop()
        self._folder.cleanup()
        self._rarely.close()

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return self._thread.alive

    def open(self, terms: Terms) -> Session:
        """Open the way of one trial.

        Raises
        ------
        InvalidInput
            When the model's provider is not known or has no key, or a recording cannot be read.
        """
        played = terms.script is not None or terms.replay is not None
        if terms.model is None and not played:
            raise InvalidInput(
                "An agent that needs a model has none",
                terms.label,
                "name one: --model provider/name",
            )
        upstream = None
        secrets = dict(terms.secrets)
        if not played:
            upstream = upstream_of(terms.model or "", self._upstreams)
            key = upstream[0].secret(self._environ)
            if upstream[0].litellm is not None:
                upstream = self._through_litellm(*upstream)
            secrets |= {} if key is None else {key[0]: key[1]}
        meter = Meter(
            terms.caps, self._prices, model=terms.model, upstream=upstream, faults=terms.faults
        )
        session = Session(terms, meter, upstream=upstream, forget=self._forget)
        secrets["AGENTEVAL_GATEWAY_TOKEN"] = session.token
        if terms.replay is not None:
            session.replay = Player(
                read_recording(terms.replay),
                {wire.name: wire for wire in WIRES},
                places=terms.places,
                secrets=secrets,
                rules=() if terms.rules is None else read_rules(terms.rules),
                label=terms.label,
            )
        if terms.record is not None:
            asked_for = terms.asked_for if session.replay is None else session.replay.model
            session.recorder = Recorder(
                terms.record,
                model=asked_for or terms.model,
                secrets=secrets,
                places=terms.places,
            )
        if not self.alive:
            session.end("infrastructure", "the gateway has ended", error_class="gateway_down")
        self._sessions[session.token] = session
        return session

    def _through_litellm(self, upstream: Upstream, name: str) -> tuple[Upstream, str]:
        from agenteval.gateway.litellm_server import LiteLLMServer

        with self._starting:
            if self._litellm is None:
                self._litellm = LiteLLMServer(self._environ)
            return self._litellm.reach(upstream, name), name

    def quota_until(self, provider: str) -> datetime | None:
        """When a provider's quota is there again, if one of the trials was told that it is used up."""
        return None if self._forwarder is None else self._forwarder.quota_until(provider)

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session.token, None)
        if not self.alive:
            session.end("infrastructure", "the gateway has ended", error_class="gateway_down")
            if session.recorder is not None:
                session.recorder.close()
            return
        try:
            asyncio.run_coroutine_threadsafe(_finish(session), self._thread.loop).result(STOP_S)
        except TimeoutError:
            session.end("infrastructure", "the gateway hangs", error_class="gateway_down")

    async def _serve(self) -> None:
        self._forwarder = Forwarder(self._pace, self._environ)
        runner = await runner_of(Handler(self._sessions, self._forwarder))
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
            await site.start()
            await web.UnixSite(runner, str(self.socket), backlog=1024).start()
            self.port = runner.addresses[0][1]
            self.url = f"http://127.0.0.1:{self.port}"
            self._thread.ready()
            await self._thread.stopping.wait()
        finally:
            await runner.cleanup()
            await self._forwarder.close()


async def _finish(session: Session) -> None:
    tasks = [task for task in session.tasks if not task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if session.recorder is not None:
        session.recorder.close()
