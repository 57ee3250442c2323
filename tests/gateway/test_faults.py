"""Faults planted on purpose: which requests, what the agent sees, and that nobody else is blamed."""

import contextlib
import threading
from collections import Counter
from http.client import BadStatusLine, IncompleteRead, RemoteDisconnected

import pytest
from pydantic import ValidationError

from agenteval.gateway import FaultPlan, Terms
from agenteval.records import FAULT_KINDS, Faults, Overlay, Variant
from agenteval.suite import load_variant


@pytest.fixture
def faulty(open_talk):
    def opened(**faults):
        rates = {name.removeprefix("http_"): value for name, value in faults.items()}
        plan = FaultPlan(Faults.model_validate(rates), seed=1)
        return open_talk(Terms(model="here/asked", faults=plan))

    return opened


@pytest.mark.parametrize(("kind", "status"), [("429", 429), ("500", 500), ("529", 529)])
def test_errors(faulty, provider, kind, status):
    talk = faulty(**{f"http_{kind}": 1.0, "at_most": 1, "retry_after_s": 2.5})
    answer = talk.ask()
    assert answer.status == status
    assert answer.json["error"]["message"] == f"planted fault: {kind}"
    assert answer.headers.get("retry-after") == ("2.5" if kind == "429" else None)
    assert provider.seen == []
    assert talk.ask().status == 200
    traffic = talk.session.close()
    assert traffic.planted == {kind: 1}
    assert traffic.exchanges[0].planted == kind
    assert (traffic.requests, traffic.turns, traffic.provider_errors) == (2, 1, 0)
    assert traffic.input_tokens == 100


@pytest.mark.parametrize("kind", ["500", "reset", "garbage", "cut"])
def test_planted_faults_are_nobodys_failure(faulty, kind):
    talk = faulty(**{f"http_{kind}": 1.0})
    with contextlib.suppress(ConnectionError, IncompleteRead):
        talk.ask()
    traffic = talk.session.close()
    assert traffic.planted == {kind: 1}
    assert traffic.provider_errors == 0
    assert (traffic.ended_by, traffic.error_class) == (None, None)


def test_garbage(faulty):
    answer = faulty(garbage=1.0).ask()
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html"
    assert b"<html>" in answer.body


def test_a_reset(faulty):
    with pytest.raises((ConnectionResetError, RemoteDisconnected, BadStatusLine)):
        faulty(reset=1.0).ask()


def test_a_cut_stream_was_used_at_the_provider(faulty, provider):
    talk = faulty(cut=1.0)
    provider.will(provider.says("a long answer " * 50))
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        talk.ask(stream=True)
    traffic = talk.session.close()
    assert len(provider.seen) == 1
    assert traffic.turns == 0
    assert traffic.input_tokens == 100
    assert traffic.output_tokens == 20  # told at its end, which the agent never got


ASKS = {
    "/v1/chat/completions": {
        "messages": [{"role": "user", "content": "hi"}],
        "stream_options": {"include_usage": True},
    },
    "/v1/responses": {"input": "hi"},
}


@pytest.mark.parametrize("path", ASKS)
def test_a_cut_stream_whose_usage_comes_last_is_paid_for_too(faulty, provider, path):
    talk = faulty(cut=1.0)
    provider.will(provider.says("a long answer " * 50, "ls"))
    with pytest.raises((IncompleteRead, ConnectionResetError)):
        talk.send(path, {"model": "asked", "stream": True, **ASKS[path]})
    traffic = talk.session.close()
    assert (traffic.turns, traffic.tool_calls, traffic.provider_errors) == (0, 0, 0)
    assert traffic.output_tokens == 20


def test_a_slow_answer_comes_whole(faulty):
    talk = faulty(slow=1.0, slow_s=0.3)
    assert talk.ask().status == 200
    traffic = talk.session.close()
    assert traffic.exchanges[0].first_byte_s >= 0.3
    assert traffic.turns == 1
    assert traffic.exchanges[0].error is None


def test_a_hang_ends_when_the_agent_leaves_or_the_trial_closes(faulty, provider):
    talk = faulty(hang=1.0)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", b'{"model": "asked"}')
    while not talk.settled().meter.traffic().exchanges:
        threading.Event().wait(0.01)
    before = talk.session.last_activity()
    traffic = talk.session.close()
    assert traffic.planted == {"hang": 1}
    assert traffic.exchanges[0].error == "planted: hang"
    assert talk.session.last_activity() == before
    assert provider.seen == []
    line.close()


def test_the_same_seed_plants_the_same_and_another_one_others():
    faults = Faults.model_validate({"500": 0.3, "hang": 0.1, "cut": 0.1})
    drawn = [[FaultPlan(faults, seed=seed).draw(n) for n in range(200)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    counts = Counter(drawn[0] + drawn[2])
    assert 0.2 < counts["500"] / 400 < 0.4
    assert 0.05 < counts["hang"] / 400 < 0.15
    assert set(counts) == {"500", "hang", "cut", None}


def test_what_one_kind_gets_does_not_depend_on_the_order_of_asking():
    faults = Faults.model_validate({"500": 0.5})
    forwards, backwards = FaultPlan(faults), FaultPlan(faults)
    there = [forwards.draw(n) for n in range(50)]
    back = [backwards.draw(n) for n in reversed(range(50))]
    assert there == back[::-1]


def test_counting_tokens_has_no_faults(faulty):
    talk = faulty(http_500=1.0)
    assert talk.send("/v1/messages/count_tokens", talk.message()).status == 200


def test_a_variant_may_have_faults_and_its_digest_shows_it(tmp_path):
    (tmp_path / "variants").mkdir()
    file = tmp_path / "variants/rough.toml"
    file.write_text("[faults]\n429 = 0.2\nhang = 0.05\nseed = 3\n")
    overlay = load_variant("rough", tmp_path).overlay
    assert dict(overlay.faults.rates()) == {"429": 0.2, "hang": 0.05}
    assert overlay.keys == {"faults"}
    assert Overlay.model_validate_json(overlay.model_dump_json()) == overlay
    assert overlay.digest != Overlay().digest
    file.write_text("[faults]\n429 = 0.2\nhang = 0.05\nseed = 4\n")
    assert load_variant("rough", tmp_path).overlay.digest != overlay.digest


def test_a_variant_without_faults_keeps_its_digest():
    assert (
        Overlay(args=["a"]).digest == Overlay(args=["a"], faults=None).digest == "c510e74019a5be17"
    )


@pytest.mark.parametrize("faults", [{"500": 0.7, "cut": 0.4}, {"500": -1}, {"404": 0.1}, {"hang": 2}, {"slow_s": -1}])  # fmt: skip
def test_rates_that_cannot_be_are_refused(faults):
    with pytest.raises(ValidationError):
        Variant.model_validate({"faults": faults})


def test_every_kind_can_be_asked_for():
    rates = {kind: 1 / len(FAULT_KINDS) for kind in FAULT_KINDS}
    assert dict(Faults.model_validate(rates).rates()) == rates
