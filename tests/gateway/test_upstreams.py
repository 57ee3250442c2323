"""Providers: described in a file or known, with keys that go by name."""

import pytest

from agenteval.errors import InvalidInput
from agenteval.gateway import KNOWN_UPSTREAMS, Pace, Upstream, read_upstreams, upstream_of


def test_a_file_of_providers(tmp_path):
    file = tmp_path / "upstreams.toml"
    file.write_text(
        '[vllm]\nbase_url = "http://127.0.0.1:8000/v1"\nwires = ["chat"]\n\n'
        '[proxy]\nbase_url = "http://127.0.0.1:4000"\nkey_env = "PROXY_KEY"\nany_model = true\nheaders = {x-team = "evals"}\n'
    )
    vllm, proxy = read_upstreams(file)
    assert upstream_of("vllm/meta-llama/Llama-3", (vllm, proxy)) == (vllm, "meta-llama/Llama-3")
    assert vllm.secret({}) is None
    assert vllm.url("/v1/chat/completions") == "http://127.0.0.1:8000/v1/chat/completions"
    assert proxy.url("/v1/messages") == "http://127.0.0.1:4000/v1/messages"
    opened = proxy.opened({"x-team": "other", "accept": "*/*"}, {"PROXY_KEY": "k"})
    assert opened == {"x-team": "evals", "accept": "*/*", "authorization": "Bearer k"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[x\n", "cannot be read"),
        ("[x]\n", "base_url"),
        ('[x]\nbase_url = "ftp://a"\n', "base_url"),
        ('[x]\nbase_url = "http://a"\nkey = "sk-1"\n', "key"),
        ('[x]\nbase_url = "http://a"\nwires = ["telepathy"]\n', "wires"),
        ('[x]\nbase_url = "http://me:word@a"\n', "base_url"),
        ('x = 3\n', "x"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, said):
    file = tmp_path / "upstreams.toml"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=said):
        read_upstreams(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_upstreams(tmp_path / "nothing.toml")


def test_limits_of_one_provider(tmp_path):
    file = tmp_path / "upstreams.toml"
    file.write_text(
        '[local]\nbase_url = "http://127.0.0.1:8000"\nconcurrency = 4\nsilence_s = 1800\n'
        "[anthropic]\nrequests_per_minute = 50\n"
    )
    local, changed = read_upstreams(file)
    pace = Pace(requests_per_minute=600)
    assert local.paced(pace) == Pace(concurrency=4, requests_per_minute=600, silence_s=1800)
    assert changed.paced(pace) == Pace(requests_per_minute=50)
    assert KNOWN_UPSTREAMS[0].paced(pace) == pace
    # nothing else of the known provider has changed
    assert changed.model_copy(update={"requests_per_minute": None}) == KNOWN_UPSTREAMS[0]
    assert upstream_of("anthropic/m", (local, changed)) == (changed, "m")


@pytest.mark.parametrize("key", ["concurrency", "requests_per_minute", "silence_s"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", '"4"', "inf"])
def test_a_limit_is_a_whole_number_from_one(tmp_path, key, value):
    file = tmp_path / "upstreams.toml"
    file.write_text(f"[anthropic]\n{key} = {value}\n")
    with pytest.raises(InvalidInput, match=key) as caught:
        read_upstreams(file)
    assert caught.value.where == f"{file}, table [anthropic]"
    assert caught.value.fix == f"write a whole number from 1, or leave {key} out"


@pytest.mark.parametrize(
    ("name", "environ", "header"),
    [
        ("anthropic", {"ANTHROPIC_API_KEY": "k"}, {"x-api-key": "k"}),
        ("anthropic", {"CLAUDE_CODE_OAUTH_TOKEN": "t"}, {"authorization": "Bearer t", "anthropic-beta": "oauth-2025-04-20"}),
        ("anthropic", {"ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_OAUTH_TOKEN": "t"}, {"x-api-key": "k"}),
        ("openai", {"OPENAI_API_KEY": "k"}, {"authorization": "Bearer k"}),
        ("google", {"GEMINI_API_KEY": "k"}, {"x-goog-api-key": "k"}),
    ],
)  # fmt: skip
def test_each_known_provider_has_its_own_header(name, environ, header):
    upstream, model = upstream_of(f"{name}/m", ())
    assert upstream in KNOWN_UPSTREAMS
    assert model == "m"
    assert upstream.opened({}, environ) == header
    with pytest.raises(InvalidInput, match="There is no key"):
        upstream.secret({})


def test_an_own_provider_may_take_a_known_name():
    own = Upstream(name="openai", base_url="http://127.0.0.1:1/v1")
    assert upstream_of("openai/m", (own,)) == (own, "m")


def test_a_version_in_the_address_is_not_said_twice():
    here = Upstream(name="x", base_url="http://h/api/v1beta/")
    assert here.url("/v1beta/models/m:generateContent?alt=sse") == "http://h/api/v1beta/models/m:generateContent?alt=sse"  # fmt: skip
    assert here.url("/v1/messages") == "http://h/api/v1beta/v1/messages"


@pytest.mark.parametrize(
    ("text", "told"),
    [("x = 1\n", "1 is no table"), ('[x]\nbase_url = "ftp://y"\n', "base_url = 'ftp://y' has not")],
)
def test_what_is_no_provider_is_said_in_words(tmp_path, text, told):
    path = tmp_path / "up.toml"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=told):
        read_upstreams(path)
