"""One request from its arrival to the last byte of its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import aiohttp
from aiohttp import web

from agenteval.gateway.answer import (
    Answer,
    BrokeOff,
    ReadAlong,
    chunks_of,
    is_providers,
    said_of,
)
from agenteval.gateway.asked_usage import wants_usage, with_usage
from agenteval.gateway.forwarding import Forwarder, Outgoing
from agenteval.gateway.pacing import Waited
from agenteval.gateway.passing import pass_on
from agenteval.gateway.recording import Recorded
from agenteval.gateway.replay import Diverged
from agenteval.gateway.replying import (
    answer_other,
    break_connection,
    is_straight,
    send_reply,
    without_key,
)
from agenteval.gateway.session import Session
from agenteval.gateway.sources import first_half, own_answer, planted_reply, recorded_answer
from agenteval.gateway.tools import NoUsableTool
from agenteval.gateway.visit import Visit
from agenteval.gateway.wire import wire_for
from agenteval.gateway.wire.protocol import Answered, Wire

LEFT = "the agent left"
OWN = 0  # the status that each wire format has for a kind of refusal


class Handler:
    """Answers the requests of all trials.

    Parameters
    ----------
    sessions
        By token; the gateway's own, which changes.
    forwarder
        Asks providers.
    """

    def __init__(self, sessions: Mapping[str, Session], forwarder: Forwarder) -> None:
        self._sessions, self._forwarder = sessions, forwarder

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; without a trial's token there is nothing here."""
        _, _, rest = request.rel_url.raw_path_qs.partition("/t/")
        token, slash, rest = rest.partition("/")
        session = self._sessions.get(token)
        if session is None or not request.rel_url.raw_path.startswith("/t/"):
            return web.Response(status=404, text="not found\n")
        task = asyncio.current_task()
        assert task is not None  # a handler runs in one
        session.tasks.add(task)
        session.touch()
        try:
            return await self._of_trial(session, request, slash + rest)
        except ConnectionError:  # the agent left, and nobody hears what is said here
            return web.Response(status=499)
        except (asyncio.CancelledError, web.RequestPayloadError, web.HTTPException):
            raise  # the agent left, or what it sent is no request
        except BaseException as error:
            text = f"the gateway failed on a request: {type(error).__name__}: {error}"
            session.end("infrastructure", text, error_class="gateway_down")
            raise
        finally:
            session.tasks.discard(task)

    async def _of_trial(
        self, session: Session, request: web.BaseRequest, path: str
    ) -> web.StreamResponse:
        bare = path.partition("?")[0]
        wire = wire_for(request.method, bare) if is_straight(bare) else None
        if wire is None:
            model = None if session.upstream is None else session.upstream[1]
            return answer_other(request.method, bare, model)
        started = time.monotonic()
        async with session.holding(request.content) as body:
            return await self._of_model(session, request, wire, path, body, started)

    async def _of_model(
        self,
        session: Session,
        request: web.BaseRequest,
        wire: Wire,
        path: str,
        body: bytes,
        started: float,
    ) -> web.StreamResponse:
        asked = wire.read(path, body)
        ended = session.meter.ended
        if ended is not None:
            reply = wire.refuse(OWN, "limit", ended.message or "this trial is over")
            return await send_reply(request, reply)
        exchange = session.meter.begin(asked, wire=wire.name, started=started)
        waited = Waited(session.waits)
        visit = Visit(session, request, wire, path, body, asked, exchange, waited)
        try:
            await session.meter.settle(exchange)
        except asyncio.CancelledError:
            session.meter.note(visit.finished(refused="waited", error=LEFT))
            raise
        refusal = session.meter.refusal(exchange)
        if refusal is not None:
            return await self._refuse(visit, *refusal)
        number = session.meter.let_through(exchange)
        try:
            return await self._answer(visit, number)
        finally:
            if session.meter.is_open(exchange):  # no answer has begun
                session.meter.note(visit.finished(error=LEFT))
            session.meter.leave(exchange, request=body if waited.sent else None)

    async def _refuse(self, visit: Visit, limit: str, message: str) -> web.StreamResponse:
        visit.session.end(limit, message)
        reply = visit.wire.refuse(OWN, "limit", message)
        refused = visit.finished(status=reply.status, refused=limit, error=message)
        visit.session.meter.note(refused)
        return await send_reply(visit.request, reply)

    async def _answer(self, visit: Visit, number: int) -> web.StreamResponse:
        fault = self._fault(visit, number)
        if fault == "hang":
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                visit.session.meter.note(visit.finished(error="planted: hang"))
        if fault == "reset":
            visit.session.meter.note(visit.finished(error="planted: reset"))
            return await break_connection(visit.request)
        try:
            async with self._source(visit, fault) as answer:
                return await self._deliver(visit, answer, cut=fault == "cut")
        except Diverged as error:
            return await self._cannot_go_on(visit, str(error), "replay_diverged")
        except NoUsableTool as error:
            return await self._cannot_go_on(visit, str(error), "gateway_down")

    async def _cannot_go_on(
        self, visit: Visit, message: str, error_class: str
    ) -> web.StreamResponse:
        """End a trial whose recording or script has no answer."""
        visit.session.end("infrastructure", message, error_class=error_class)
        reply = visit.wire.refuse(OWN, "limit", message)
        visit.session.meter.note(visit.finished(status=reply.status, error=message))
        return await send_reply(visit.request, reply)

    def _fault(self, visit: Visit, number: int) -> str | None:
        plan = visit.session.meter.faults
        if plan is None or visit.exchange.kind == "count":
            return None
        fault = plan.draw(number)
        visit.exchange = replace(visit.exchange, planted=fault)
        return fault

    def _source(self, visit: Visit, fault: str | None) -> AbstractAsyncContextManager[Answer]:
        """Where the answer comes from."""
        session = visit.session
        plan = session.meter.faults
        if plan is not None and (planted := planted_reply(visit.wire, fault, plan.faults)):
            return own_answer(planted)
        late_s = plan.faults.slow_s if fault == "slow" and plan is not None else 0.0
        if session.replay is not None:
            recorded = session.replay.answer(visit.wire, visit.path, visit.body)
            return recorded_answer(recorded, late_s)
        if session.script is not None:
            reply = session.script.reply(visit.wire, replace(visit.asked, usage_asked=True))
            return own_answer(reply, late_s, provider_error=is_providers(reply.status))
        return self._provider(visit, late_s)

    @asynccontextmanager
    async def _provider(self, visit: Visit, late_s: float) -> AsyncIterator[Answer]:
        assert visit.session.upstream is not None  # the gateway opens no session without one
        upstream, name = visit.session.upstream
        if late_s:
            await asyncio.sleep(late_s)
        if visit.wire.name not in upstream.wires:
            text = f"{upstream.name} does not speak {visit.wire.name}, it speaks {', '.join(upstream.wires)}"
            reply = visit.wire.refuse(OWN, "invalid", text)
            yield Answer(
                reply.status, reply.headers, chunks_of(reply.chunks), provider_error=True, note=text
            )
            return
        path, body = without_key(visit.path), visit.body
        if not upstream.any_model and visit.asked.model != name:
            path, body = visit.wire.with_model(path, body, name)
        if upstream.stream_usage and wants_usage(visit.wire, visit.asked):
            body = with_usage(body)
        headers = {key.lower(): value for key, value in visit.request.headers.items()}
        outgoing = Outgoing(visit.request.method, path, headers, body, visit.wire)
        async with (
            visit.session.places,
            self._forwarder.ask(upstream, outgoing, visit.waited) as answer,
        ):
            if answer.later is not None and answer.later.used_up:
                until = answer.later.until
                when = "" if until is None else f" until {until:%Y-%m-%d %H:%M} UTC"
                text = f"the quota of {upstream.name} is used up{when}"
                answer.note = text
                visit.session.end(
                    "infrastructure", text, error_class="provider_down", quota_until=until
                )
            answer.provider_error &= not visit.session.meter.is_agents(visit.asked, answer.status)
            yield answer

    async def _deliver(self, visit: Visit, answer: Answer, *, cut: bool) -> web.StreamResponse:
        """Pass an answer on as it comes, and read along."""
        session, request = visit.session, visit.request
        reader = visit.wire.reader(visit.asked, answer.status)
        encoding = answer.headers.get("content-encoding", "")
        along = served = ReadAlong(reader, encoding)
        if cut:  # the provider serves all of it, and is paid for that
            served = ReadAlong(visit.wire.reader(visit.asked, answer.status), encoding)
        response = web.StreamResponse(status=answer.status, headers=answer.headers)
        length = answer.told.get("content-length")
        if length is not None and not cut and not wants_usage(visit.wire, visit.asked):
            response.content_length = int(length)
        broke: str | None = LEFT
        try:
            await response.prepare(request)
            try:
                if cut:
                    await pass_on(visit, response, first_half(answer.chunks, served), along)
                else:
                    await pass_on(visit, response, answer.chunks, along, answer.hand_on)
                broke = None
            except (BrokeOff, aiohttp.ClientError, TimeoutError) as error:
                broke = said_of(error)
                answer.provider_error |= visit.exchange.planted != "cut"
                return await break_connection(request)
            await response.write_eof()
            session.touch()
        finally:
            answered = along.answered()
            if cut:
                whole = served.answered()
                answered = replace(answered, usage=whole.usage, model=whole.model)
            # an agent need not wait for the connection's end once it has the answer's
            left_with_it = broke is LEFT and answered.complete
            self._note(visit, answer, answered, None if left_with_it else broke)
        return response

    def _note(self, visit: Visit, answer: Answer, answered: Answered, broke: str | None) -> None:
        session = visit.session
        complete = answered.complete and broke is None
        planted = visit.exchange.planted if visit.exchange.planted != "slow" else None
        error = broke or answer.note or (f"planted: {planted}" if planted else None)
        if (
            error is None
            and answer.status < 400
            and not complete
            and visit.asked.kind == "generate"
        ):
            error = answered.error or "what came is no whole answer of a model"
            answer.provider_error = True
        finished = visit.finished(
            status=answer.status, error=error, provider_error=answer.provider_error
        )
        begun = broke is not None or (answer.status == 200 and visit.asked.kind == "generate")
        session.meter.take(
            finished,
            replace(answered, complete=complete),
            request=visit.body if begun and planted in (None, "cut") else None,
        )
        if session.recorder is not None and visit.exchange.planted is None:
            session.recorder.keep(
                Recorded(
                    seq=visit.exchange.seq,
                    wire=visit.wire.name,
                    kind=visit.exchange.kind,
                    method=visit.request.method,
                    path=visit.path,
                    request=visit.body,
                    status=answer.status,
                    headers=answer.headers,
                    chunks=tuple(visit.chunks),
                    end="whole" if broke is None else "left" if broke == LEFT else "broke",
                )
            )
        if broke is LEFT or session.meter.ended is not None:
            return  # who left is over, or asks again and is refused
        if (exceeded := session.meter.exceeded()) is not None:
            session.end(*exceeded)
