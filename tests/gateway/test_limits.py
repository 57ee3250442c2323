"""Limits are held before a request goes out, and after an answer."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

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
