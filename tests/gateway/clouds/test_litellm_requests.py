"""What of an agent's request is handed to litellm: nothing that names an address, a file or a key."""

import pytest

from agenteval.gateway import Gateway, PriceTable, Terms
from agenteval.gateway.litellm_requests import NotForwarded, options_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")

NOVA = "bedrock/amazon.nova-pro-v1:0"
AWAY = "http://127.0.0.1:9/away"


def test_an_agent_cannot_choose_where_the_operators_keys_go(clouds, tmp_path, talk_class):
    clouds.will(clouds.says())
    own = {
        "api_base": AWAY,
        "aws_bedrock_runtime_endpoint": AWAY,
        "aws_access_key_id": "agents-key",
        "aws_role_name": "agents-role",
        "vertex_credentials": "/etc/hostname",
        "extra_headers": {"x-own": "1"},
        "mock_response": "made up",
        "custom_llm_provider": "openai",
        "fallbacks": ["openai/gpt-5"],
        "guardrailConfig": {"guardrailIdentifier": "agents-guard"},
    }
    with Gateway(prices=PriceTable.load(), scratch=tmp_path) as gateway:
        talk = talk_class(gateway, gateway.open(Terms(model=NOVA)))
        path, body = clouds.asks("chat", **own)
        answer = talk.send(path, body)
    assert answer.status == 200
    assert b"made up" not in answer.body
    (seen,) = clouds.asked()
    assert clouds.keys["AWS_ACCESS_KEY_ID"] in seen.headers["authorization"]
    assert b"agents-" not in seen.body
    assert "x-own" not in seen.headers


@pytest.mark.parametrize(
    ("wire", "part"),
    [
        ("chat", {"type": "image_url", "image_url": {"url": AWAY}}),
        ("chat", {"type": "image_url", "image_url": AWAY}),
        ("chat", {"type": "file", "file": {"file_id": "gs://bucket/file"}}),
        ("anthropic", {"type": "image", "source": {"type": "url", "url": AWAY}}),
        ("anthropic", {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": {"type": "url", "url": "/etc/hostname"}}]}),
        ("responses", {"type": "input_image", "image_url": AWAY}),
        ("gemini", {"fileData": {"fileUri": AWAY}}),
    ],
)  # fmt: skip
def test_nothing_is_fetched_for_an_agent(wire, part):
    name, parts = {"responses": ("input", "content"), "gemini": ("contents", "parts")}.get(wire, ("messages", "content"))  # fmt: skip
    document = {name: [{"role": "user", parts: [part]}]}
    with pytest.raises(NotForwarded, match="in the request itself"):
        options_of(wire, document, model="vertex_ai/gemini-2.5-flash", environ={})


def test_addresses_in_words_and_in_tool_calls_are_no_contents():
    messages = [
        {"role": "user", "content": [{"type": "text", "text": f"read {AWAY}"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Fetch", "input": {"type": "file", "url": AWAY}}]},
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}]},
    ]  # fmt: skip
    found = options_of("anthropic", {"messages": messages}, model=NOVA, environ={})
    assert found["messages"] == messages


def test_tools_that_would_run_here_are_refused():
    document = {"input": "x", "tools": [{"type": "mcp", "server_url": "litellm_proxy"}]}
    with pytest.raises(NotForwarded, match="mcp"):
        options_of("responses", document, model=NOVA, environ={})


def test_a_location_of_vertex_may_stand_in_the_models_name():
    found = options_of("chat", {}, model="vertex_ai/europe-west1/claude-x@1", environ={"VERTEXAI_API_BASE": AWAY})  # fmt: skip
    assert found == {
        "model": "vertex_ai/claude-x@1",
        "vertex_location": "europe-west1",
        "api_base": AWAY,
    }
    assert options_of("chat", {}, model="vertex_ai/meta/llama-4", environ={}) == {"model": "vertex_ai/meta/llama-4"}  # fmt: skip
