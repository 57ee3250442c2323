"""What passes through, what does not, and what the gateway answers itself."""

import gzip
import json
import socket
import threading
from dataclasses import replace

import pytest

from agenteval.errors import InvalidInput
from agenteval.gateway import Terms, Upstream

MADE_UP = "sk-dummy-of-the-agent"
REQUESTS = {
    "/v1/messages": {"model": "asked", "messages": [{"role": "user", "content": "hi"}]},
    "/v1/chat/completions": {"model": "asked", "messages": [{"role": "user", "content": "hi"}]},
    "/v1/responses": {"model": "asked", "input": "hi"},
    "/v1beta/models/asked:generateContent": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
}  # fmt: skip


@pytest.mark.parametrize("path", REQUESTS)
def test_every_format_passes_and_is_metered(talk, provider, path):
    answer = talk.send(path, REQUESTS[path])
    assert answer.status == 200
    assert b'"ok"' in answer.body
    traffic = talk.session.close()
    (exchange,) = traffic.exchanges
    assert (exchange.status, exchange.complete, exchange.kind) == (200, True, "main")
    assert provider.seen[0].path == path
    fresh = 105 if "generateContent" in path else 100  # Gemini does not tell what was written
    assert (traffic.input_tokens, traffic.cache_read_tokens, traffic.output_tokens) == (
        fresh,
        10,
        20,
    )


@pytest.mark.parametrize(
    "header", ["authorization", "x_api_key", "x_goog_api_key", "cookie", "api_key"]
)
def test_the_agents_key_stays_and_the_operators_goes_out(talk, provider, header):
    answer = talk.send(
        "/v1/messages?beta=true&key=" + MADE_UP, REQUESTS["/v1/messages"], **{header: MADE_UP}
    )
    (seen,) = provider.seen
    told = json.dumps([seen.path, seen.headers, seen.body.decode()])
    assert MADE_UP not in told
    assert seen.path == "/v1/messages?beta=true"
    assert seen.headers["authorization"] == f"Bearer {provider.key}"
    assert provider.key not in json.dumps([dict(answer.headers), answer.body.decode()])


def test_a_subscriptions_token_goes_out_with_its_beta_header(open_talk, provider):
    upstream = Upstream(
        name="here", base_url=provider.url, key_env="NONE", token_env="TOKEN", auth="x-api-key"
    )
    talk = open_talk(upstream=upstream, environ={"TOKEN": "subscription-token"})
    talk.send(
        "/v1/messages", REQUESTS["/v1/messages"], anthropic_beta="other-beta", x_api_key=MADE_UP
    )
    (seen,) = provider.seen
    assert seen.headers["authorization"] == "Bearer subscription-token"
    assert seen.headers["anthropic-beta"] == "other-beta,oauth-2025-04-20"
    assert "x-api-key" not in seen.headers


def test_headers_of_one_connection_stay_on_it(talk, provider):
    provider.will(provider.fails(400, set_cookie="a=b", x_request_id="r1", keep_alive="timeout=5"))
    answer = talk.send(
        "/v1/messages", REQUESTS["/v1/messages"], te="trailers", user_agent="agent/1"
    )
    (seen,) = provider.seen
    assert "te" not in seen.headers
    assert seen.headers["user-agent"] == "agent/1"
    assert seen.headers["accept-encoding"] == "identity"
    assert answer.headers["x-request-id"] == "r1"
    assert "set-cookie" not in answer.headers
    assert "keep-alive" not in answer.headers


def test_a_stream_is_passed_on_chunk_by_chunk(talk, provider):
    """The second chunk is only sent once the agent has the first."""
    got, first, second = (
        threading.Event(),
        b"event: ping\ndata: {}\n",
        b"\nevent: ping\ndata: {}\n\n",
    )

    async def step(request, seen):
        from aiohttp import web

        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(first)
        await provider.loop.run_in_executor(None, got.wait, provider.wait_s)
        await response.write(second)
        await response.write_eof()
        return response

    provider.will(step)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message(stream=True)))
    response = line.getresponse()
    assert response.read1() == first
    got.set()
    assert response.read() == second
    line.close()


def test_a_whole_stream_is_the_same_bytes(talk, provider):
    sent = []

    async def step(request, seen):
        from agenteval.gateway.wire import wire_for
        from agenteval.gateway.wire.protocol import Say

        wire = wire_for("POST", seen.path)
        reply = wire.say(wire.read(seen.path, seen.body), Say("några ord " * 200))
        sent.append(b"".join(reply.chunks))
        return await provider.send(request, 200, reply.headers, reply.chunks)

    provider.will(step)
    answer = talk.ask(stream=True)
    assert answer.body == sent[0]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert talk.session.close().turns == 1


def test_an_agent_that_leaves_ends_the_request_upstream(talk, provider):
    begun = threading.Event()

    async def step(request, seen):
        begun.set()
        await provider.loop.create_future()

    provider.will(step)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message()))
    assert begun.wait(provider.wait_s)
    line.close()
    assert provider.cancelled.wait(provider.wait_s)
    traffic = talk.settled().close()
    (exchange,) = traffic.exchanges
    assert (exchange.status, exchange.error) == (None, "the agent left")
    assert 0 < traffic.model_s <= exchange.latency_s  # it waited all the same


@pytest.mark.parametrize(
    "path", ["/v1/messages", "/v1/chat/completions", "/v1/responses", "streamed"]
)
def test_an_agent_that_leaves_with_the_whole_answer_has_had_a_turn(talk, provider, path):
    """Programs close the connection on the last event; the end of the stream is nothing to them."""
    path = "/v1beta/models/asked:streamGenerateContent?alt=sse" if path == "streamed" else path
    sent = []

    async def step(request, seen):
        from aiohttp import web

        from agenteval.gateway.wire import wire_for
        from agenteval.gateway.wire.protocol import Say

        wire = wire_for("POST", seen.path)
        reply = wire.say(replace(wire.read(seen.path, seen.body), usage_asked=True), Say("ok"))
        sent.append(b"".join(reply.chunks))
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sent[0])
        await provider.loop.create_future()  # never ends the stream

    provider.will(step)
    line = talk.connect()
    stream = {"stream": True, "stream_options": {"include_usage": True}}
    body = next(body for known, body in REQUESTS.items() if known.split(":")[0] in path)
    line.request("POST", talk.session.path + path, json.dumps(body | stream))
    response, got = line.getresponse(), b""
    while not sent or len(got) < len(sent[0]):
        got += response.read1()
    line.close()
    assert provider.cancelled.wait(provider.wait_s)
    traffic = talk.settled().close()
    (exchange,) = traffic.exchanges
    assert (exchange.complete, exchange.error, traffic.turns) == (True, None, 1)
    assert traffic.output_tokens is not None


def test_closing_a_session_ends_what_is_under_way(talk, provider):
    begun = threading.Event()

    async def step(request, seen):
        begun.set()
        await provider.loop.create_future()

    provider.will(step)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", json.dumps(talk.message()))
    assert begun.wait(provider.wait_s)
    traffic = talk.session.close()
    assert provider.cancelled.wait(provider.wait_s)
    assert traffic.requests == 1
    assert traffic.turns == 0
    assert talk.session.close() is traffic
    line.close()


def test_a_compressed_answer_passes_as_it_is_and_is_metered(talk, provider):
    told = {"type": "message", "role": "assistant", "model": "answered", "content": [{"type": "text", "text": "ok"}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 3}}  # fmt: skip
    packed = gzip.compress(json.dumps(told).encode())

    async def step(request, seen):
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        return await provider.send(request, 200, headers, [packed[:20], packed[20:]])

    provider.will(step)
    answer = talk.ask()
    assert answer.body == packed
    assert answer.headers["content-encoding"] == "gzip"
    assert talk.session.close().output_tokens == 3


def test_without_a_trials_token_there_is_nothing(talk, provider):
    for path in (
        "/",
        "/v1/messages",
        "/t/",
        "/t/wrong/v1/messages",
        talk.session.path[:-1] + "/v1/messages",
    ):
        line = talk.connect()
        line.request("POST", path, b"{}")
        assert line.getresponse().status == 404
        line.close()
    answer = talk.send("/v1/messages", REQUESTS["/v1/messages"])
    assert answer.status == 200
    talk.session.close()
    assert talk.send("/v1/messages", REQUESTS["/v1/messages"]).status == 404
    assert len(provider.seen) == 1


def test_the_socket_is_the_same_gateway(talk, provider):
    body = json.dumps(REQUESTS["/v1/messages"]).encode()
    head = f"POST {talk.session.path}/v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    got = talk.over_socket(talk.gateway.socket, head.encode() + body)
    assert got.startswith(b"HTTP/1.1 200")
    assert talk.gateway.socket.parent.stat().st_mode & 0o777 == 0o700
    assert talk.session.close().requests == 1


def test_lists_are_answered_here_and_telemetry_nowhere(talk, provider):
    assert talk.send("/v1/models").json["data"][0]["id"] == "asked"
    assert talk.send("/").status == 200
    assert talk.send("/api/event_logging/batch", {"events": []}).status == 404
    assert provider.seen == []
    assert talk.session.close().exchanges == ()


def test_an_own_upstream_gets_its_one_model(open_talk, provider):
    talk = open_talk(upstream=Upstream(name="here", base_url=f"{provider.url}/v1"), environ={})
    talk.send("/v1/messages", REQUESTS["/v1/messages"] | {"model": "small-model-for-titles"})
    (seen,) = provider.seen
    assert seen.json["model"] == "asked"
    assert seen.path == "/v1/messages"


def test_a_format_that_the_provider_does_not_speak_is_refused_in_that_format(open_talk, provider):
    upstream = Upstream(name="here", base_url=provider.url, wires=("chat",))
    talk = open_talk(upstream=upstream, environ={})
    answer = talk.ask()
    assert answer.json["type"] == "error"
    assert "here does not speak anthropic" in answer.json["error"]["message"]
    assert provider.seen == []
    assert talk.session.close().error_class == "provider_down"


def test_a_large_request_passes(talk, provider):
    text = "x" * (3 << 20)
    assert talk.ask(text).status == 200
    assert provider.seen[0].json["messages"][0]["content"] == text


@pytest.mark.parametrize(
    ("model", "fix"),
    [(None, "--model provider/name"), ("asked", "upstreams.toml"), ("elsewhere/m", "upstreams.toml"), ("openai/m", "OPENAI_API_KEY")],
)  # fmt: skip
def test_a_model_that_cannot_be_had_is_refused_at_once(open_talk, model, fix):
    with pytest.raises(InvalidInput, match=fix):
        open_talk(Terms(model=model))


@pytest.mark.parametrize(
    "sent",
    [
        b"POST %s/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"POST %s/v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST %s/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"nonsense\r\n\r\n",
    ],
)
def test_what_is_no_whole_request_takes_nothing_down(talk, provider, sent):
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(provider.wait_s)
        line.connect(str(talk.gateway.socket))
        line.sendall(sent.replace(b"%s", talk.session.path.encode()))
        line.shutdown(socket.SHUT_WR)
        while line.recv(4096):
            pass
    assert talk.ask().status == 200
    traffic = talk.session.close()
    assert traffic.ended_by is None
    assert traffic.turns == 1


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b'{"messages": 3, "tools": {"a": 1}}', b"\xff\xfe"]
)
def test_what_is_no_request_of_the_format_goes_on_to_the_provider(talk, provider, body):
    """It is the provider's to refuse."""
    provider.will(provider.fails(400))
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", body)
    assert line.getresponse().status == 400
    line.close()
    assert provider.seen[0].body == body
    assert talk.session.close().ended_by is None


def test_a_proxy_is_for_other_machines(monkeypatch, open_talk, provider):
    seen = []

    async def proxied(request, got):
        seen.append(got.path)
        return await provider.says("through the proxy")(request, got)

    monkeypatch.setenv("http_proxy", provider.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    talk = open_talk()
    assert talk.ask().status == 200
    assert provider.seen[0].path == "/v1/messages"
    far = talk.gateway._upstreams[0].model_copy(update={"base_url": "http://models.invalid"})
    talk.session.upstream = (far, "asked")
    provider.will(proxied)
    assert b"through the proxy" in talk.ask().body
    assert seen == ["/v1/messages"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/files/../messages",
        "/v1beta/models/asked:countTokens/../asked:generateContent",
        "/v1beta/models/asked:countTokens/%2E%2e/asked:generateContent",
        "/v1/x%2f..%2fmessages/v1/messages",
        "/v1beta/models/asked:countTokens/more",
    ],
)
def test_a_path_that_leads_elsewhere_goes_nowhere(talk, provider, path):
    """A count is under no limit, and no other part of a provider is an agent's business."""
    assert talk.send(path, talk.message()).status == 404
    assert provider.seen == []


def test_a_refusal_that_repeats_the_key_is_passed_on_without_it(talk, provider):
    said = json.dumps({"error": {"message": f"no such key: {provider.key}"}}).encode()
    provider.will(provider.fails(401, said))
    answer = talk.ask()
    assert (answer.status, answer.json["error"]["message"]) == (401, "no such key: [HERE_KEY]")
    assert provider.key not in repr(talk.session.close())


def test_one_trial_cannot_fill_the_memory_of_all(talk, provider):
    """A body is counted as it is unpacked, all of the trial's together."""
    bomb = gzip.compress(b"0" * (257 << 20), 1)
    line = talk.connect()
    line.request("POST", talk.session.path + "/v1/messages", bomb, {"content-encoding": "gzip"})
    assert line.getresponse().status == 413
    line.close()
    assert provider.seen == []
    assert talk.ask().status == 200
