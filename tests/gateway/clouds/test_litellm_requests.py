"""What of an agent's request is handed to litellm: nothing that names an address, a file or a key."""

import pytest

from agenteval.gateway import Gateway, Pace, PriceTable, Terms
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


def picture(url):
    return {"type": "image_url", "image_url": {"url": url}}


DISGUISED = {
    "a message of the type of a call": ("chat", "messages", [{"role": "user", "type": "tool_use", "content": [picture(AWAY)]}]),
    "a message with an input": ("chat", "messages", [{"role": "user", "content": "x", "type": "tool_use", "input": [picture(AWAY)]}]),
    "a tool's message": ("chat", "messages", [{"role": "tool", "tool_call_id": "t", "type": "tool_use", "content": [picture(AWAY)]}]),
    "messages": ("anthropic", "messages", [{"role": "user", "type": "tool_use", "content": [{"type": "image", "source": {"type": "url", "url": AWAY}}]}]),
    "responses": ("responses", "input", [{"role": "user", "type": "tool_use", "content": [{"type": "input_image", "image_url": AWAY}]}]),
    "no part at all": ("chat", "messages", [{"role": "user", "content": [{"image_url": AWAY}]}]),
    "a file's data": ("chat", "messages", [{"role": "user", "content": [{"type": "file", "file": {"file_data": AWAY}}]}]),
    "a file's id": ("chat", "messages", [{"role": "user", "content": [{"type": "file", "file_id": "some-file"}]}]),
    "an output": ("responses", "input", [{"type": "function_call_output", "call_id": "c", "output": [{"type": "input_file", "file_data": AWAY}]}]),
    "a citation in a picture": ("chat", "messages", [{"role": "user", "content": [{"type": "image_url", "image_url": {"type": "web_search_result", "url": AWAY}}]}]),
    "a call beside a picture": ("anthropic", "messages", [{"role": "user", "content": [{"type": "tool_use", "input": {}, "image_url": AWAY}]}]),
    "a system prompt": ("anthropic", "system", [picture(AWAY)]),
    "of Gemini": ("gemini", "systemInstruction", {"parts": [{"fileData": {"fileUri": AWAY}}]}),
}  # fmt: skip


@pytest.mark.parametrize("name", DISGUISED)
def test_a_disguise_gets_nothing_fetched(name):
    wire, field, told = DISGUISED[name]
    with pytest.raises(NotForwarded, match="in the request itself"):
        options_of(wire, {field: told}, model="vertex_ai/gemini-2.5-flash", environ={})


@pytest.mark.parametrize("scheme", ["http://h/", "HTTPS://h/", "gs://", "s3://", "file:///", "data:http://h/", "data:text/plain,", "/"])  # fmt: skip
@pytest.mark.parametrize("key", ["image_url", "file_data"])
def test_only_what_is_in_the_request_is_passed_on_whatever_the_scheme(scheme, key):
    part = {"type": "x", key: f"{scheme}operators-private/x.png"}
    document = {"messages": [{"role": "user", "content": [part]}]}
    with pytest.raises(NotForwarded, match="in the request itself"):
        options_of("chat", document, model=NOVA, environ={})


def test_what_was_said_and_found_is_passed_on():
    told = {"type": "image_url", "url": AWAY, "image_url": AWAY}
    found = {"type": "web_search_result", "url": AWAY, "title": "t"}
    documents = [
        ("chat", {"messages": [{"role": "assistant", "tool_calls": [{"id": "t", "type": "function", "function": {"name": "F", "arguments": told}}]}]}),
        ("anthropic", {"messages": [{"role": "assistant", "content": [{"type": "web_search_tool_result", "content": [found]}]}]}),
        ("gemini", {"contents": [{"role": "model", "parts": [{"functionCall": {"name": "F", "args": told}}, {"functionResponse": {"name": "F", "response": told}}]}]}),
        ("chat", {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:application/pdf;base64,aaaa"}}]}]}),
    ]  # fmt: skip
    for wire, document in documents:
        options = options_of(wire, document, model="vertex_ai/gemini-2.5-flash", environ={})
        assert {name: options[name] for name in document} == document


USER = {"role": "user", "content": "do it"}
UNKNOWN_CALL = {"role": "tool", "tool_call_id": "t", "content": "x"}
BROKEN_CALL = {"id": "t", "type": "function", "function": {"name": "Bash", "arguments": "{bad"}}
GEMINI = "vertex/gemini-2.5-flash"
MALFORMED = [
    ("chat", {"tools": 5}),
    ("chat", {"tools": {"a": 1}}),
    ("chat", {"tools": ["a"]}),
    ("chat", {"messages": "hi"}),
    ("chat", {"messages": ["hi"]}),
    ("chat", {"messages": [{"content": "x"}]}),
    ("chat", {"messages": [{"role": "user", "content": 5}]}),
    ("chat", {"messages": [{"role": "user", "content": [{"foo": 1}]}]}),
    ("chat", {"messages": [USER, {"role": "assistant", "tool_calls": 5}]}),
    ("anthropic", {"tools": 5}),
    ("anthropic", {"messages": [{"content": "x"}]}),
    ("anthropic", {"messages": [{"role": "user", "content": [{"type": "image"}]}]}),
    ("anthropic", {"system": 5}),
    ("responses", {"input": [5]}),
    ("responses", {"input": 5}),
    ("responses", {"tools": {"a": 1}}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "file", "file": {}}]}]}),
    ("chat", {"messages": [{"role": "nobody", "content": "x"}]}),
    ("chat", {"messages": [USER, UNKNOWN_CALL]}),
    (
        "chat",
        {"messages": [USER, {"role": "assistant", "tool_calls": [BROKEN_CALL]}, UNKNOWN_CALL]},
    ),
    ("anthropic", {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}),
]


@pytest.mark.parametrize("model", [NOVA, GEMINI])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_malformed_request_is_the_agents_failure(clouds, tmp_path, talk_class, model, stream):
    pace = Pace(first_wait_s=0.01, tries_failed=2)
    wrong = []
    with Gateway(prices=PriceTable.load(), scratch=tmp_path, pace=pace) as gateway:
        for wire, more in MALFORMED:
            clouds.provider.steps.clear()
            clouds.will(clouds.says())
            before = len(clouds.asked())
            talk = talk_class(gateway, gateway.open(Terms(model=model)))
            answer = talk.send(*clouds.asks(wire, stream=stream, **more))
            traffic = talk.session.close()
            was_asked = len(clouds.asked()) > before
            if not was_asked and (
                answer.status != 400 or traffic.provider_errors or traffic.ended_by
            ):
                wrong.append((wire, more, answer.status, answer.body[:200]))
    assert wrong == []


@pytest.mark.parametrize("wire", ["chat", "anthropic", "responses"])
@pytest.mark.parametrize("model", [NOVA, GEMINI])
@pytest.mark.parametrize("said", [b"[5]", b"{}", b'{"output": 5}', b"<html>"])
def test_an_answer_that_cannot_be_read_is_the_providers_failure(clouds, tmp_path, talk_class, model, wire, said):  # fmt: skip
    async def step(request, seen):
        kind = {"content-type": "application/json"}
        return await clouds.provider.send(request, 200, kind, [said])

    clouds.will(*[step] * 3)
    pace = Pace(first_wait_s=0.01, tries_failed=2)
    with Gateway(prices=PriceTable.load(), scratch=tmp_path, pace=pace) as gateway:
        talk = talk_class(gateway, gateway.open(Terms(model=model)))
        answer = talk.send(*clouds.asks(wire))
        assert answer.status >= 500, answer.body
        assert talk.session.close().provider_errors
