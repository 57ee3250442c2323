"""What providers say about rates and quotas is handled once, for all trials."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.client import IncompleteRead

import pytest
from aiohttp import web

from agenteval.gateway import Pace, Upstream
from agenteval.gateway.quota import Later, read_refusal

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
SOON = Pace(first_wait_s=0.01, tries_limited=3, tries_failed=2, longest_wait_s=1.0)


def test_a_rate_limit_is_waited_for_and_not_seen_by_the_agent(open_talk, provider):
    talk = open_talk(pace=SOON)
    provider.will(provider.fails(429, retry_after="0.2"), provider.fails(529), provider.says("ok"))
    assert talk.ask().status == 200
    traffic = talk.session.close()
    assert traffic.retries == 2
    assert traffic.rate_limited_s >= 0.2
    assert traffic.exchanges[0].latency_s >= traffic.rate_limited_s
    assert traffic.model_s == pytest.approx(traffic.exchanges[0].latency_s - traffic.rate_limited_s)
    assert traffic.provider_errors == 0
    assert traffic.ended_by is None
    assert traffic.requests == 1


def test_one_trials_rate_limit_holds_the_others_back(open_talk, provider):
    one = open_talk(pace=Pace(first_wait_s=0.01, longest_wait_s=60))
    other = open_talk()
    came = threading.Event()

    async def limits(request, seen):
        came.set()
        return await provider.send(request, 429, {"retry-after": "1.5"}, [b"{}"])

    provider.will(limits)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(one.ask)
        assert came.wait(provider.wait_s)
        # by the time that the first has waited, the second one came and waited too
        later = one.gateway._forwarder._pacers["here"]
        while not later._closed_until:
            threading.Event().wait(0.002)
        second = pool.submit(other.ask)
        assert first.result().status == second.result().status == 200
    assert one.session.close().rate_limited_s >= 1.5
    traffic = other.session.close()
    assert traffic.rate_limited_s > 0.05
    assert traffic.retries == 0


def test_waiting_for_a_provider_is_no_lack_of_progress(open_talk, provider):
    talk = open_talk(pace=Pace(concurrency=1, longest_wait_s=60))
    go, waiting = threading.Event(), threading.Event()

    async def holds(request, seen):
        waiting.set()
        await provider.loop.run_in_executor(None, go.wait, provider.wait_s)
        return await provider.says("ok")(request, seen)

    provider.will(holds)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(talk.ask, "one")
        assert waiting.wait(provider.wait_s)
        stands = talk.session.last_activity()
        assert talk.session.last_activity() == stands
        second = pool.submit(talk.ask, "two")
        while len(talk.session.meter.traffic().exchanges) < 2:
            threading.Event().wait(0.002)
        talk.settled()
        before = talk.session.last_activity()
        assert talk.session.last_activity() > before
        go.set()
        assert first.result().status == second.result().status == 200
    assert talk.session.close().rate_limited_s > 0


def test_no_more_requests_at_once_than_asked_for(open_talk, provider):
    talk = open_talk(pace=Pace(concurrency=2))
    together = threading.Barrier(2)

    async def waits(request, seen):
        await provider.loop.run_in_executor(None, together.wait, provider.wait_s)
        return await provider.says("ok")(request, seen)

    provider.will(*[waits] * 6)
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(talk.ask, map(str, range(6))))
    assert [answer.status for answer in answers] == [200] * 6
    assert provider.most_present == 2
    assert talk.session.close().rate_limited_s > 0


def test_no_more_requests_a_minute_than_asked_for(open_talk, provider):
    talk = open_talk(pace=Pace(requests_per_minute=600))
    with ThreadPoolExecutor(4) as pool:
        assert [x.status for x in pool.map(talk.ask, "abcd")] == [200] * 4
    begun = sorted(x.started + x.rate_limited_s for x in talk.session.close().exchanges)
    assert all(after - before > 0.05 for before, after in zip(begun, begun[1:], strict=False))


def test_a_server_that_fails_is_asked_again_then_believed(open_talk, provider):
    talk = open_talk(pace=SOON)
    provider.will(provider.fails(500), provider.breaks(), provider.says("ok"))
    assert talk.ask().status == 200
    assert talk.settled().meter.traffic().retries == 2
    provider.will(*[provider.fails(503, b'{"error": {"message": "broken"}}')] * 3)
    answer = talk.ask()
    assert (answer.status, answer.json) == (503, {"error": {"message": "broken"}})
    traffic = talk.session.close()
    assert traffic.provider_errors == 1
    assert len(provider.seen) == 6
    assert (traffic.ended_by, traffic.error_class) == ("infrastructure", "provider_down")
    assert "broken" in traffic.message


def test_an_answer_afterwards_makes_up_for_it(open_talk, provider):
    talk = open_talk(pace=SOON)
    provider.will(*[provider.fails(500)] * 3)
    assert talk.ask().status == 500
    assert talk.ask().status == 200
    traffic = talk.session.close()
    assert traffic.provider_errors == 1
    assert traffic.ended_by is None


def test_a_side_request_that_failed_last_takes_nothing_down(open_talk, provider):
    talk = open_talk(pace=SOON)
    talk.ask()
    provider.will(*[provider.fails(500)] * 3)
    assert talk.ask("title", tools=()).status == 500
    assert talk.session.close().ended_by is None


@pytest.mark.parametrize(("status", "ended_by"), [(401, "infrastructure"), (404, "infrastructure"), (400, None), (413, None)])  # fmt: skip
def test_a_bad_key_is_the_operators_and_a_bad_request_the_agents(talk, provider, status, ended_by):
    provider.will(provider.fails(status))
    assert talk.ask().status == status
    assert len(provider.seen) == 1
    assert talk.session.close().ended_by == ended_by


def test_an_agent_cannot_make_its_own_failure_the_providers(talk, provider):
    """A model that nobody has, once the trial's own has answered, takes no trial out of the rate."""
    provider.will(provider.says("ok"), provider.fails(404))
    assert talk.ask().status == 200
    assert talk.ask(model="nobody-has-it").status == 404
    assert talk.session.close().ended_by is None


def test_what_is_no_request_at_all_is_the_agents(talk, provider):
    provider.will(*[provider.fails(500)] * 3)
    assert talk.send("/v1/messages", ["no", "request"]).status == 500
    assert talk.session.close().ended_by is None


def test_a_provider_that_is_not_there(open_talk, provider):
    nobody = Upstream(name="here", base_url="http://127.0.0.1:9")
    talk = open_talk(upstream=nobody, environ={}, pace=SOON)
    answer = talk.ask()
    assert answer.status >= 500
    assert "here cannot be reached" in answer.json["error"]["message"]
    traffic = talk.session.close()
    assert traffic.error_class == "provider_down"
    assert traffic.retries == 2


def test_a_provider_that_says_nothing(open_talk, provider):
    talk = open_talk(pace=Pace(silence_s=0.2))

    async def silent(request, seen):
        await provider.loop.create_future()

    provider.will(silent)
    assert talk.ask().status >= 500
    traffic = talk.session.close()
    assert traffic.error_class == "provider_down"
    assert traffic.retries == 0


def test_a_provider_that_falls_silent(open_talk, provider):
    talk = open_talk(pace=Pace(silence_s=1.0))

    async def silent(request, seen):
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"event: ping\n")
        await provider.loop.create_future()

    provider.will(silent)
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        talk.ask(stream=True)
    traffic = talk.session.close()
    assert traffic.error_class == "provider_down"
    assert traffic.message == "nothing came for 1 s"


def test_a_stream_that_the_provider_cuts_is_cut_for_the_agent(talk, provider):
    start = b'event: message_start\ndata: {"type":"message_start","message":{"model":"answered","usage":{"input_tokens":9,"output_tokens":1}}}\n\n'
    provider.will(provider.breaks(start))
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        talk.ask(stream=True)
    traffic = talk.session.close()
    (exchange,) = traffic.exchanges
    assert exchange.provider_error
    assert not exchange.complete
    assert exchange.usage.input_tokens == 9
    assert traffic.turns == 0
    assert traffic.error_class == "provider_down"


@pytest.mark.parametrize("by", ["time", "nothing"])
def test_a_used_up_quota_ends_the_trial_and_says_until_when(open_talk, provider, by):
    talk = open_talk(pace=SOON)
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=3)
    error = {"type": "usage_limit_reached", "resets_at": until.timestamp()}
    if by == "nothing":
        error = {"code": "insufficient_quota", "message": "You exceeded your current quota"}
    provider.will(provider.fails(429, json.dumps({"error": error}).encode()))
    assert talk.ask().status == 429
    assert talk.settled().stop.is_set()
    traffic = talk.session.close()
    assert (traffic.ended_by, traffic.error_class) == ("infrastructure", "provider_down")
    assert traffic.quota_until == (until if by == "time" else None)
    assert talk.gateway.quota_until("here") == traffic.quota_until
    assert "the quota of here is used up" in traffic.message
    assert len(provider.seen) == 1


def google(*details) -> bytes:
    return json.dumps([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}]).encode()  # fmt: skip


DAILY = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}  # fmt: skip
MINUTE = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}  # fmt: skip
INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
REGAIN = b'{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC."}}'


@pytest.mark.parametrize(
    ("status", "headers", "body", "later"),
    [
        (429, {"retry-after": "30"}, b"{}", Later(limited=True, wait_s=30)),
        (429, {"retry-after-ms": "1500", "retry-after": "2"}, b"", Later(limited=True, wait_s=1.5)),
        (529, {}, b"overloaded", Later(limited=True)),
        (503, {"retry-after": "Tue, 10 Mar 2026 12:01:00 GMT"}, b"", Later(limited=True, wait_s=60)),
        (503, {"retry-after": "soon"}, b"", Later(limited=False)),
        (500, {}, b"\xff", Later(limited=False)),
        (500, {"x-should-retry": "false"}, b"", None),
        (400, {}, b'{"error": "text"}', None),
        (401, {}, b"[]", None),
        (429, {"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": "1773154800", "retry-after": "10800"}, b"{}",
         Later(limited=True, wait_s=10800, used_up=True, until=datetime(2026, 3, 10, 15, tzinfo=UTC))),
        (400, {}, REGAIN, Later(limited=True, wait_s=1857600, used_up=True, until=datetime(2026, 4, 1, tzinfo=UTC))),
        (429, {}, b'{"error":{"type":"usage_limit_reached","resets_in_seconds":602705}}',
         Later(limited=True, wait_s=602705, used_up=True, until=NOW + timedelta(seconds=602705))),
        (429, {}, b'{"error":{"code":"insufficient_quota"}}', Later(limited=True, used_up=True)),
        (429, {}, google(DAILY), Later(limited=True, wait_s=68400, used_up=True, until=datetime(2026, 3, 11, 7, tzinfo=UTC))),
        (429, {}, google(DAILY, INFO), Later(limited=True, wait_s=36.5)),
        (429, {}, google(MINUTE), Later(limited=True)),
        (429, {}, b'{"error":{"details":[{"violations":"?"}, 3]}}', Later(limited=True)),
    ],
)  # fmt: skip
def test_what_a_refusal_means(status, headers, body, later):
    assert read_refusal(status, headers, body, now=NOW) == later
