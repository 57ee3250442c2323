"""Limits of one provider, as its table in a file names them; the others keep those of all."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import IncompleteRead

import pytest
from aiohttp import web

from agenteval.gateway import Gateway, Pace, PriceTable, Terms, Upstream


def limited(provider, name: str = "here", **limits: int) -> Upstream:
    return Upstream(name=name, base_url=provider.url, any_model=True, **limits)


def test_a_provider_has_limits_of_its_own_across_trials(open_talk, provider):
    """Two at once is only possible if both trials share the places; three would be one too many."""
    talks = [open_talk(upstream=limited(provider, concurrency=2)) for _ in range(3)]
    together = threading.Barrier(2)

    async def waits(request, seen):
        await provider.loop.run_in_executor(None, together.wait, provider.wait_s)
        return await provider.says("ok")(request, seen)

    provider.will(*[waits] * 12)
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(talks[at % 3].ask, str(at)) for at in range(12)]
        assert [one.result().status for one in asked] == [200] * 12
    assert provider.most_present == 2
    assert len(provider.seen) == 12


def test_a_providers_rate_is_held_across_trials(open_talk, provider):
    talks = [open_talk(upstream=limited(provider, requests_per_minute=600)) for _ in range(2)]
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(talks[at % 2].ask, str(at)) for at in range(6)]
        assert [one.result().status for one in asked] == [200] * 6
    exchanges = [x for talk in talks for x in talk.session.close().exchanges]
    begun = sorted(x.started + x.rate_limited_s for x in exchanges)
    assert all(after - before > 0.05 for before, after in zip(begun, begun[1:], strict=False))


def test_one_providers_limits_are_not_anothers(talk, tmp_path, provider):
    """Two at once at `free`, while `slow`, whose one place is taken, lets its second wait."""
    upstreams = (limited(provider, "slow", concurrency=1), limited(provider, "free"))
    go, here, lock = threading.Event(), {"slow": 0, "free": 0}, threading.Lock()
    most, both = dict(here), threading.Event()

    async def waits(request, seen):
        name = seen.json["messages"][0]["content"]
        with lock:
            here[name] += 1
            most[name] = max(most[name], here[name])
            if here == {"slow": 1, "free": 2}:
                both.set()
        await provider.loop.run_in_executor(None, go.wait, provider.wait_s)
        with lock:
            here[name] -= 1
        return await provider.says("ok")(request, seen)

    provider.will(*[waits] * 4)
    with (
        Gateway(upstreams, prices=PriceTable.load(), scratch=tmp_path) as gateway,
        ThreadPoolExecutor(4) as pool,
    ):
        talks = {
            name: replace(talk, gateway=gateway, session=gateway.open(Terms(model=f"{name}/asked")))
            for name in most
        }
        asked = [pool.submit(talks[name].ask, name) for name in ("slow", "slow", "free", "free")]
        assert both.wait(provider.wait_s)
        go.set()
        assert [one.result().status for one in asked] == [200] * 4
    assert most == {"slow": 1, "free": 2}


def test_standing_in_line_takes_no_patience_with_failures(open_talk, provider):
    """The second waits longer for its turn than a wait may be, fails, and is tried again."""
    upstream = limited(provider, requests_per_minute=120)
    talk = open_talk(upstream=upstream, pace=Pace(first_wait_s=0.01, longest_wait_s=0.2))
    provider.will(provider.says("ok"), provider.fails(500))
    assert [talk.ask("one").status, talk.ask("two").status] == [200, 200]
    traffic = talk.session.close()
    assert traffic.retries == 1
    assert traffic.rate_limited_s > 0.2


@pytest.mark.parametrize("begins", [False, True])
def test_a_provider_may_be_silent_for_a_time_of_its_own(open_talk, provider, begins):
    upstream = limited(provider, silence_s=1)
    talk = open_talk(upstream=upstream)  # whose common limit is longer than this test may take

    async def silent(request, seen):
        if begins:
            response = web.StreamResponse(headers={"content-type": "text/event-stream"})
            await response.prepare(request)
            await response.write(b"event: ping\n")
        await provider.loop.create_future()

    provider.will(silent)
    if begins:
        with pytest.raises((IncompleteRead, ConnectionResetError)):
            talk.ask(stream=True)
    else:
        assert talk.ask().status >= 500
    assert talk.session.close().error_class == "provider_down"
