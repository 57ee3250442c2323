"""Limits are held before a request goes out, and after an answer."""

import asyncio
import http.client
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agenteval.gateway import Pace
from agenteval.gateway.wire.protocol import Usage

REFUSALS = {
    "/v1/messages": ("error", "message"),
    "/v1/chat/completions": ("error", "message"),
    "/v1/responses": ("error", "message"),
    "/v1beta/models/asked:generateContent": ("error", "message"),
}


@pytest.mark.parametrize(
    ("caps", "ended_by", "let_through"),
    [({"requests": 2}, "request_limit", 2), ({"turns": 3}, "turn_limit", 3)],
)
def test_counts(open_talk, provider, caps, ended_by, let_through):
    talk = open_talk(**caps)
    for number in range(let_through):
        assert talk.ask(f"turn {number}").status == 200
        assert not talk.settled().stop.is_set()
    refused = talk.ask("one more")
    assert refused.status >= 400
    assert "the limit of this trial is reached" in refused.json["error"]["message"]
    assert talk.settled().stop.is_set()
    assert talk.ask("and one more").status >= 400
    traffic = talk.session.close()
    assert len(provider.seen) == let_through == traffic.requests
    assert traffic.ended_by == ended_by
    assert traffic.error_class is None
    assert traffic.exchanges[-1].refused == ended_by
    assert len(traffic.exchanges) == let_through + 1


@pytest.mark.parametrize(
    ("caps", "ended_by"),
    [({"tokens": 200}, "token_limit"), ({"cost_usd": 0.0002}, "cost_limit")],
)
def test_an_answer_that_goes_beyond_ends_the_trial(open_talk, provider, caps, ended_by):
    talk = open_talk(**caps)
    talk.ask()
    assert not talk.settled().stop.is_set()
    assert talk.ask().status == 200  # 270 tokens by then
    assert talk.settled().stop.is_set()
    assert talk.ask().status >= 400
    traffic = talk.session.close()
    assert traffic.ended_by == ended_by
    assert traffic.requests == len(provider.seen) == 2


def test_what_is_exactly_reached_is_only_refused_beyond(open_talk, provider):
    talk = open_talk(tokens=135)
    talk.ask()
    assert not talk.settled().stop.is_set()
    talk.ask()
    assert talk.settled().stop.is_set()
    assert len(provider.seen) == 1


def test_side_requests_are_no_turns_but_cost(open_talk, provider):
    talk = open_talk(turns=1, requests=3)
    assert talk.ask("title", tools=()).status == 200  # may be all that this agent does
    assert talk.ask("the task").status == 200  # but it offers tools: that was a title
    assert talk.ask("another title", tools=()).status == 200
    assert talk.ask("yet another", tools=()).status >= 400
    assert talk.session.close().ended_by == "request_limit"


def test_an_agent_without_tools_is_held_to_its_turns(open_talk):
    talk = open_talk(turns=2)
    statuses = [talk.ask(text, tools=()).status for text in "abc"]
    assert statuses[:2] == [200, 200]
    assert statuses[2] >= 400
    assert talk.session.close().ended_by == "turn_limit"


def test_what_has_no_price_counts_for_nothing(open_talk, provider):
    talk = open_talk(cost_usd=0.0001)
    provider.will(*[provider.says("a", model="unknown", usage=Usage(10**6, 0, 0, 0))] * 2)
    assert talk.ask(model="unknown").status == 200
    assert talk.ask(model="unknown").status == 200
    assert not talk.settled().stop.is_set()
    assert talk.session.close().cost_usd is None


@pytest.mark.parametrize("path", REFUSALS)
def test_refusals_are_in_the_agents_own_format(open_talk, path):
    talk = open_talk(requests=0)
    told = talk.send(path, {"model": "asked", "messages": [], "input": "x", "contents": []})
    for key in REFUSALS[path]:
        told = told[key] if isinstance(told, dict) else told.json[key]
    assert "0 of 0 requests used" in told


def test_counting_tokens_is_never_refused(open_talk):
    talk = open_talk(requests=0)
    assert talk.send("/v1/messages/count_tokens", talk.message()).status == 200


@pytest.mark.parametrize(
    ("caps", "ended_by", "most"),
    [({"turns": 2}, "turn_limit", 2), ({"tokens": 200}, "token_limit", 4), ({"cost_usd": 0.0002}, "cost_limit", 4)],
)  # fmt: skip
def test_requests_at_the_same_time_do_not_go_past_a_limit_together(
    open_talk, provider, caps, ended_by, most
):
    """Before the first answer nothing says what one costs, so a few may go out; then none too many."""
    talk = open_talk(**caps)
    with ThreadPoolExecutor(24) as pool:
        statuses = [answer.status for answer in pool.map(talk.ask, ["do it"] * 24)]
    traffic = talk.session.close()
    assert traffic.ended_by == ended_by
    assert 2 <= len(provider.seen) == statuses.count(200) <= most


def test_a_request_that_the_agent_gives_up_leaves_its_turn_to_the_next(open_talk, provider):
    talk = open_talk(turns=1)
    came = threading.Event()

    async def never(request, seen):
        came.set()
        await provider.loop.create_future()

    provider.will(never)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message("do it")))
    assert came.wait(provider.wait_s)
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(talk.ask, "again")  # waits for the one under way
        line.close()
        assert again.result(provider.wait_s).status == 200
    assert talk.session.close().turns == 1


def test_tokens_of_an_answer_that_the_agent_did_not_wait_for_are_unknown(open_talk, provider):
    """They were used, and the figures come last: the sum of the others is not what was used."""
    talk = open_talk()
    assert talk.send("/v1/chat/completions", {"model": "asked", "messages": []}).status == 200
    assert talk.settled().meter.traffic().input_tokens == 100

    async def begins(request, seen):
        from aiohttp import web

        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\n\n')
        await provider.loop.create_future()

    provider.will(begins)
    line = talk.connect()
    asked = {"model": "asked", "messages": [], "stream": True}
    line.request("POST", talk.session.path + "/v1/chat/completions", json.dumps(asked))
    assert line.getresponse().read1()
    line.close()
    assert provider.cancelled.wait(provider.wait_s)
    traffic = talk.session.close()
    assert (traffic.requests, traffic.turns) == (2, 1)
    assert (traffic.input_tokens, traffic.output_tokens, traffic.cost_usd) == (None, None, None)


USED = Usage(100, 10, 5, 20)
SAID = "56 characters of an answer that goes on and on and on..."
STREAMED = {
    "/v1/messages": 5,
    "/v1/chat/completions": 3,
    "/v1/responses": 5,
    "/v1beta/models/asked:streamGenerateContent?alt=sse": 1,
}  # pieces of the answer after which the agent leaves: some of its text, no usage of its output


def begins(provider, path, pieces, *, usage=USED, ends=None):
    """The first pieces of a streamed answer; then the connection stays open, or ends so."""

    async def step(request, seen):
        from aiohttp import web

        from agenteval.gateway.wire import wire_for
        from agenteval.gateway.wire.protocol import Say

        wire = wire_for("POST", seen.path)
        reply = wire.say(wire.read(seen.path, seen.body), Say(SAID, usage=usage, model="answered"))
        chunks = list(reply.chunks)[:pieces]
        if "Generate" in path:  # its first piece has all; usage stands at its end
            chunks = [re.sub(rb', "usageMetadata": \{[^}]*\}', b"", chunks[0])]
        response = web.StreamResponse(headers=reply.headers)
        await response.prepare(request)
        await response.write(b"".join(chunks))
        if ends is not None:
            await ends(request, response)
        await provider.loop.create_future()

    return step


def leaves(talk, provider, path, step, text="do it"):
    """Ask for a stream, read its begin, and leave."""
    provider.cancelled.clear()
    provider.will(step)
    asked = {
        "model": "asked",
        "stream": True,
        "messages": [{"role": "user", "content": text}],
        "input": text,
        "contents": [{"role": "user", "parts": [{"text": text}]}],
    }
    line = talk.connect()
    line.request("POST", talk.session.path + path, json.dumps(asked))
    assert line.getresponse().read1()
    line.close()
    assert provider.cancelled.wait(provider.wait_s)
    talk.settled()


@pytest.mark.parametrize("path", STREAMED)
@pytest.mark.parametrize(("cap", "ended_by"), [("tokens", "token_limit"), ("cost_usd", "cost_limit")])  # fmt: skip
def test_an_agent_that_leaves_every_answer_is_held_to_its_limits(
    open_talk, provider, path, cap, ended_by
):
    """What it used is unknown, and stays so; the limit counts an estimate, and says so."""
    talk = open_talk(**{cap: 3000 if cap == "tokens" else 0.003})
    for _ in range(4):
        step = begins(provider, path, STREAMED[path], usage=Usage(800, 10, 5, 20))
        leaves(talk, provider, path, step, "x" * 1000)
        assert not talk.session.stop.is_set()  # who left may be over
    assert talk.ask().status >= 400
    traffic = talk.session.close()
    assert traffic.ended_by == ended_by
    assert re.search(r"\(0?\.?\d+ of it estimated", traffic.message)
    assert len(provider.seen) == 4 == traffic.requests
    assert (traffic.output_tokens, traffic.cost_usd) == (None, None)
    assert {x.cost_usd for x in traffic.exchanges} == {None}
    assert {x.usage.output_tokens for x in traffic.exchanges} == {None}


def test_an_estimate_is_of_what_is_unknown_only(open_talk, provider):
    """Messages tells its input first: 115 tokens, and 14 for the 56 characters that came."""
    talk = open_talk(tokens=128)
    leaves(talk, provider, "/v1/messages", begins(provider, "/v1/messages", 5))
    told = talk.ask().json["error"]["message"]
    assert "129 of 128 tokens used (14 of it estimated" in told
    traffic = talk.session.close()
    assert traffic.exchanges[0].usage == Usage(100, 10, 5, None)
    assert traffic.input_tokens == 100


@pytest.mark.parametrize("leaving", [True, False])
def test_a_whole_answer_whose_usage_is_unknown_counts_by_an_estimate(open_talk, provider, leaving):
    """The agent leaves between the answer's end and its usage, or the server tells no usage."""
    talk = open_talk(tokens=3000)
    end = b'data: {"model": "answered", "choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n'

    async def step(request, seen):
        from aiohttp import web

        if not leaving:
            return await provider.send(
                request, 200, {"content-type": "text/event-stream"}, [end, b"data: [DONE]\n\n"]
            )
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(end)
        return await provider.loop.create_future()

    for _ in range(2):
        if leaving:
            leaves(talk, provider, "/v1/chat/completions", step, "x" * 2000)
        else:
            provider.will(step)
            asked = {"model": "asked", "stream": True, "messages": [{"role": "user", "content": "x" * 6000}]}  # fmt: skip
            talk.send("/v1/chat/completions", asked)
    talk.ask()
    traffic = talk.session.close()
    assert traffic.ended_by == "token_limit"
    assert "estimated, for answers whose usage is unknown" in traffic.message
    assert (traffic.input_tokens, traffic.cost_usd) == (None, None)


def test_a_picture_is_estimated_as_a_picture(open_talk, provider):
    talk = open_talk(tokens=10_000)
    picture = "iVBORw0KGgo" + "A" * 1_000_000
    leaves(talk, provider, "/v1/messages", begins(provider, "/v1/messages", 1), picture)
    assert talk.ask().status == 200
    assert talk.session.close().ended_by is None


def test_who_leaves_while_waiting_for_a_limit_has_asked_nothing(open_talk, provider):
    talk = open_talk(turns=1)
    began, go_on = threading.Event(), threading.Event()

    async def slow(request, seen):
        began.set()
        await provider.loop.run_in_executor(None, go_on.wait, provider.wait_s)
        return await provider.says("done")(request, seen)

    provider.will(slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(talk.ask)
        assert began.wait(provider.wait_s)
        for _ in range(3):
            line = talk.connect()
            body = json.dumps(talk.message())
            line.request("POST", talk.session.path + "/v1/messages", body)
            line.close()
        talk.settled()
        go_on.set()
        assert first.result(provider.wait_s).status == 200
    traffic = talk.settled().close()
    assert (traffic.requests, traffic.turns, len(provider.seen)) == (1, 1, 1)


def test_a_stream_that_broke_off_counts_by_an_estimate(open_talk, provider):
    talk = open_talk(tokens=115)

    async def breaks(request, response):
        request.transport.abort()

    provider.will(begins(provider, "/v1/messages", 5, ends=breaks))
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message(stream=True)))
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        line.getresponse().read()
    line.close()
    assert talk.settled().stop.is_set()
    traffic = talk.session.close()
    assert (traffic.ended_by, traffic.output_tokens) == ("token_limit", None)


def test_a_request_that_the_agent_left_before_its_answer_counts_its_input(open_talk, provider):
    talk = open_talk(tokens=700)
    came = threading.Event()

    async def never(request, seen):
        came.set()
        await provider.loop.create_future()

    provider.will(never)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message("x" * 3000)))
    assert came.wait(provider.wait_s)
    line.close()
    assert provider.cancelled.wait(provider.wait_s)
    assert not talk.settled().stop.is_set()
    assert talk.ask().status >= 400
    assert talk.session.close().ended_by == "token_limit"
    assert len(provider.seen) == 1


def test_what_the_provider_refused_is_not_estimated(open_talk, provider):
    talk = open_talk(tokens=700)
    provider.will(*[provider.fails(500)] * 3, provider.fails(400))
    assert talk.ask("x" * 3000).status == 500
    assert talk.ask("x" * 3000).status == 400
    assert talk.ask().status == 200
    assert not talk.settled().stop.is_set()


def test_what_is_tried_again_later_is_not_estimated(open_talk, provider):
    """The provider failed; while the gateway waits to ask again, nothing is used."""
    pace = Pace(concurrency=1, first_wait_s=100.0, longest_wait_s=1000.0)
    talk, other = open_talk(turns=1, tokens=700, pace=pace), open_talk()
    failed = threading.Event()

    async def fails(request, seen):
        failed.set()
        return await provider.fails(500)(request, seen)

    provider.will(fails)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message("x" * 3000)))
    assert failed.wait(provider.wait_s)
    assert other.ask().status == 200  # there is a place once that one has failed
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(talk.ask, "again")  # waits for the one under way
        line.close()
        assert again.result(provider.wait_s).status == 200


def test_estimates_hold_back_requests_at_the_same_time(open_talk, provider):
    """One was left and may have used 800 tokens; of 1500, that leaves room for one at a time."""
    talk = open_talk(tokens=1500)
    leaves(talk, provider, "/v1/responses", begins(provider, "/v1/responses", 5), "x" * 1000)
    here, most = [], []

    async def slow(request, seen):
        here.append(seen)
        await asyncio.sleep(0.02)  # time for others to come, if they may
        most.append(len(here))
        here.remove(seen)
        return await provider.says("ok")(request, seen)

    provider.will(*[slow] * 24)
    with ThreadPoolExecutor(24) as pool:
        list(pool.map(talk.ask, ["do it"] * 24))
    assert set(most) == {1}


def test_usage_that_came_before_the_agent_left_is_measured(open_talk, provider):
    """All but the last event of Messages: the figures are there, the end is not."""
    talk = open_talk(tokens=10_000)
    leaves(talk, provider, "/v1/messages", begins(provider, "/v1/messages", 7))
    traffic = talk.session.close()
    (exchange,) = traffic.exchanges
    assert exchange.usage == Usage(100, 10, 5, 20)
    assert (exchange.complete, exchange.error) == (False, "the agent left")
    assert (traffic.input_tokens, traffic.output_tokens, traffic.turns) == (100, 20, 0)
    assert traffic.cost_usd == pytest.approx(135e-6)
