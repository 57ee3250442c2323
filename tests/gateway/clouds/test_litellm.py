"""Models of Bedrock and Vertex: what they say gets to the agent, and their own counts to the meter."""

import json
import sys
import threading

import pytest

from agenteval.gateway import Gateway, Pace, PriceTable, Terms, read_recording
from agenteval.gateway.wire.protocol import Usage

# litellm's own
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")

CLAUDE = "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NOVA = "bedrock/amazon.nova-pro-v1:0"
VERTEX_CLAUDE = "vertex/claude-sonnet-4-5@20250929"
GEMINI = "vertex/gemini-2.5-flash"
WIRES = ("chat", "anthropic", "responses")
SERVED = [(model, wire) for model in (CLAUDE, NOVA, VERTEX_CLAUDE, GEMINI) for wire in WIRES]
QUICK = Pace(first_wait_s=0.01, tries_limited=2, tries_failed=2, longest_wait_s=30)


@pytest.fixture
def ask(tmp_path, talk_class):
    """Opens a trial at a model of a cloud, with the operator's own environment."""
    with Gateway(prices=PriceTable.load(), pace=QUICK, scratch=tmp_path) as gateway:

        def opened(model, **terms):
            return talk_class(gateway, gateway.open(Terms(model=model, **terms)))

        yield opened


def shape(usage: Usage) -> tuple:
    return (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)  # fmt: skip


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("model", "wire"), [*SERVED, (GEMINI, "gemini")])
def test_what_is_metered_is_the_clouds_own_count(clouds, ask, tmp_path, model, wire, stream):
    kept = tmp_path / "kept.jsonl.zst"
    clouds.will(clouds.says("hello", clouds.call))
    talk = ask(model, record=kept)
    answer = talk.send(*clouds.asks(wire, stream=stream))
    assert answer.status == 200, answer.body
    assert (b"text/event-stream" in answer.headers["content-type"].encode()) is stream
    traffic = talk.settled().close()
    (exchange,) = traffic.exchanges
    # 140 or 147 tokens went in: neither is a cached one counted twice, nor is one lost
    written = 0 if model is GEMINI else 7
    assert shape(exchange.usage) == (100, 40, written, 20)
    assert exchange.complete
    assert [(call.name, call.input) for call in exchange.calls] == [("Bash", {"command": "ls"})]
    (seen,) = clouds.asked()
    assert b"do it" in seen.body
    assert b"be good" in seen.body
    assert b"agents-own" not in seen.body
    assert b"someone" not in seen.body
    # the real keys are in no artifact, and are not the agent's
    texts = [answer.body, str(answer.headers).encode(), *map(str.encode, map(repr, read_recording(kept).exchanges))]  # fmt: skip
    for secret in (*clouds.keys.values(), clouds.token):
        assert not any(secret.encode() in text for text in texts)
    real = clouds.token if model.startswith("vertex/") else clouds.keys["AWS_ACCESS_KEY_ID"]
    assert real in seen.headers["authorization"]

    again = ask(None, replay=kept)
    assert again.send(*clouds.asks(wire, stream=stream)).body == answer.body
    assert len(clouds.asked()) == 1


BY_CONVERSE = "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.mark.parametrize(("model", "wire"), [*SERVED, (BY_CONVERSE, "anthropic")])
def test_no_cache_is_no_cached_tokens(clouds, ask, model, wire):
    clouds.will(clouds.says("hello", None, Usage(100, 0, 0, 20)))
    talk = ask(model)
    assert talk.send(*clouds.asks(wire, stream=True)).status == 200
    assert shape(talk.settled().close().exchanges[0].usage) == (100, 0, 0, 20)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("model", [NOVA, GEMINI, BY_CONVERSE])
def test_usage_that_a_cloud_does_not_tell_is_unknown_and_not_guessed(clouds, ask, model, wire):
    clouds.will(clouds.says("hello there, this is an answer", None, None))
    talk = ask(model)
    answer = talk.send(*clouds.asks(wire, stream=True))
    assert answer.status == 200
    assert b"llo there" in answer.body
    traffic = talk.settled().close()
    assert traffic.exchanges[0].complete
    assert shape(traffic.exchanges[0].usage) == (None, None, None, None)
    assert traffic.cost_usd is None


def test_costs_are_by_the_clouds_price(clouds, ask):
    clouds.will(*[clouds.says()] * 4)
    costs = {}
    for model in (
        CLAUDE,
        CLAUDE.replace("us.", "global."),
        NOVA,
        "vertex/global/claude-sonnet-4-5",
    ):
        talk = ask(model)
        assert talk.send(*clouds.asks("anthropic")).status == 200
        costs[model] = talk.settled().close().cost_usd
    list_price = PriceTable.load().cost("claude-sonnet-4-5", Usage(100, 40, 7, 20))
    assert costs == {
        CLAUDE: pytest.approx(1.1 * list_price),
        CLAUDE.replace("us.", "global."): pytest.approx(list_price),
        NOVA: None,
        "vertex/global/claude-sonnet-4-5": pytest.approx(list_price),
    }
    assert "/locations/global/" in clouds.asked()[-1].path


FAILING = [
    (CLAUDE, "chat", False),
    (CLAUDE, "anthropic", True),
    (NOVA, "responses", True),
    (VERTEX_CLAUDE, "anthropic", True),
    (GEMINI, "chat", True),
    (GEMINI, "anthropic", True),  # litellm begins this stream before it asks
    (GEMINI, "gemini", True),
]


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
@pytest.mark.parametrize(("model", "wire", "stream"), FAILING)
def test_a_refusal_is_the_providers_and_the_gateway_alone_tries_again(
    clouds, ask, model, wire, stream, status
):
    said = json.dumps({"error": {"code": status, "message": f"no {clouds.keys['AWS_SECRET_ACCESS_KEY']}"}, "message": "no"})  # fmt: skip
    clouds.will(*[clouds.provider.fails(status, said.encode())] * 3, clouds.says("late"))
    talk = ask(model)
    answer = talk.send(*clouds.asks(wire, stream=stream))
    expected = {500: (500, 503)}.get(status, (status,))  # litellm makes a 503 of Bedrock's 500
    assert answer.status in expected
    tries = 3 if status in (429, 500) else 1
    assert len(clouds.asked()) == tries
    (exchange,) = talk.settled().close().exchanges
    assert exchange.retries == tries - 1
    assert exchange.provider_error is (status != 400)
    assert exchange.cost_usd is None
    assert clouds.keys["AWS_SECRET_ACCESS_KEY"].encode() not in answer.body
    assert "Traceback" not in (exchange.error or "")


def test_a_cloud_that_asks_for_patience_is_waited_for_as_long_as_it_says(clouds, ask):
    clouds.will(clouds.provider.fails(429, b'{"message": "slow"}', retry_after="1"), clouds.says())
    talk = ask(CLAUDE)
    assert talk.send(*clouds.asks("anthropic", stream=True)).status == 200
    traffic = talk.settled().close()
    assert traffic.retries == 1
    assert traffic.rate_limited_s >= 1
    assert traffic.provider_errors == 0


def test_an_exception_in_the_event_stream_is_a_refusal(clouds, ask):
    headers = {":exception-type": "throttlingException", ":content-type": "application/json", ":message-type": "exception"}  # fmt: skip
    refused = clouds.frame(headers, b'{"message": "too many tokens"}')

    async def step(request, seen):
        given = {"content-type": "application/vnd.amazon.eventstream"}
        return await clouds.provider.send(request, 200, given, [refused])

    clouds.will(step, clouds.says())
    talk = ask(CLAUDE)
    assert talk.send(*clouds.asks("chat", stream=True)).status == 200
    assert talk.settled().close().retries == 1


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_breaks_off_is_no_answer(clouds, ask, wire):
    event = {":event-type": "messageStart", ":content-type": "application/json", ":message-type": "event"}  # fmt: skip
    begun = clouds.frame(event, b'{"role": "assistant"}')
    delta = clouds.frame(event | {":event-type": "contentBlockDelta"}, b'{"contentBlockIndex": 0, "delta": {"text": "half"}}')  # fmt: skip
    clouds.will(clouds.provider.breaks(begun, delta))
    talk = ask(NOVA)
    with pytest.raises(ConnectionError):
        raise_broken(talk, *clouds.asks(wire, stream=True))
    (exchange,) = talk.settled().close().exchanges
    assert exchange.provider_error
    assert not exchange.complete
    assert exchange.cost_usd is None


def raise_broken(talk, path, body):
    """Ask; a stream with an error in it is broken as well as one that ends."""
    answer = talk.send(path, body)
    assert b"error" in answer.body
    raise ConnectionError


def test_a_cloud_that_says_nothing_is_given_up(clouds, tmp_path, talk_class):
    left = threading.Event()

    async def hang(request, seen):
        try:
            await clouds.provider.loop.create_future()
        finally:
            left.set()

    clouds.will(hang)
    with Gateway(prices=PriceTable.load(), pace=Pace(silence_s=0.5), scratch=tmp_path) as gateway:
        talk = talk_class(gateway, gateway.open(Terms(model=NOVA)))
        answer = talk.send(*clouds.asks("chat", stream=True))
        assert answer.status == 502
        assert talk.settled().close().provider_errors == 1
        assert left.wait(clouds.provider.wait_s), "nothing is left waiting"


@pytest.mark.parametrize("model", [CLAUDE, NOVA, VERTEX_CLAUDE])
def test_tokens_are_counted_by_the_cloud(clouds, ask, model):
    clouds.will(clouds.says())
    _, body = clouds.asks("anthropic")
    answer = ask(model).send("/v1/messages/count_tokens", body)
    assert (answer.status, answer.json) == (200, {"input_tokens": 17})


def test_what_cannot_be_counted_is_refused(clouds, ask, monkeypatch):
    # litellm counts for Gemini with it; a test before this one may have imported it
    for name in ("google.genai", "google.genai.types"):
        monkeypatch.setitem(sys.modules, name, None)
    _, body = clouds.asks("anthropic")
    clouds.will(clouds.provider.fails(403, b'{"message": "no"}'), clouds.says())
    assert ask(CLAUDE).send("/v1/messages/count_tokens", body).status == 403
    assert ask(GEMINI).send("/v1/messages/count_tokens", body).status == 400
    assert ask(CLAUDE).send("/v1/responses/input_tokens", body).status == 400


def test_a_stream_of_gemini_as_an_array(clouds, ask):
    clouds.will(clouds.says())
    path, body = clouds.asks("gemini", stream=True)
    talk = ask(GEMINI)
    answer = talk.send(path.partition("?")[0], body)
    assert [piece["candidates"][0]["content"]["parts"][0]["text"] for piece in answer.json] == ["he", "llo"]  # fmt: skip
    assert talk.settled().close().output_tokens == 20


def test_another_format_than_a_cloud_speaks_is_refused(clouds, ask):
    for model in (NOVA, VERTEX_CLAUDE):
        assert ask(model).send(*clouds.asks("gemini")).status == 400
    assert clouds.asked() == []


def test_what_is_new_in_messages_gets_to_claude(clouds, ask):
    clouds.will(clouds.says())
    path, body = clouds.asks("anthropic", thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=2048)  # fmt: skip
    assert ask(CLAUDE).send(path, body, anthropic_beta="context-1m-2025-08-07").status == 200
    (seen,) = clouds.asked()
    assert seen.json["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert seen.json["anthropic_beta"] == ["context-1m-2025-08-07"]
    assert seen.json["system"][0]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize("number", [1, 2])
def test_gateways_one_after_the_other_and_many_requests_at_once(clouds, ask, number):
    clouds.will(*[clouds.says()] * 8)
    talk, statuses = ask(NOVA), []

    def agent():
        statuses.append(talk.send(*clouds.asks("chat", stream=True)).status)

    agents = [threading.Thread(target=agent) for _ in range(8)]
    for thread in agents:
        thread.start()
    for thread in agents:
        thread.join()
    assert statuses == [200] * 8
    assert talk.settled().close().output_tokens == 160
