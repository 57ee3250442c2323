"""Against a model server of another hand: what it says that it served is what was metered."""

import importlib.util
import json
import sys
import threading
from pathlib import Path

import pytest

from agenteval.gateway import Upstream

SERVER = Path(__file__).parents[3] / "shared/tools/mock_model_server.py"
USAGES = [
    {"input": 120, "output": 30, "cache_read": 1000, "cache_write": 40},
    {"input": 7, "output": 5, "cache_read": 0, "cache_write": 0},
]
STEPS = [
    {"text": "looking", "calls": [{"do": "run", "command": "ls"}], "usage": USAGES[0]},
    {"text": "done", "usage": USAGES[1]},
]
RUN = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


@pytest.fixture
def server(provider):
    """The other server, put in the provider's place."""
    if not SERVER.exists():
        pytest.skip("the shared model server is not here")
    spec = importlib.util.spec_from_file_location("mock_model_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    server = module.Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.stopping.set()
    server.shutdown()
    thread.join()
    server.server_close()


def requests(wire: str, stream: bool):
    """Path and body of a request, and of the one after the tool call."""
    if wire == "anthropic":
        tools = [{"name": "Bash", "input_schema": RUN}]
        body = {"model": "m", "stream": stream, "tools": tools, "max_tokens": 9}
        first = [{"role": "user", "content": "go"}]
        called = {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
            ],
        }
        told = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t", "content": "a"}],
        }
        return [("/v1/messages", body | {"messages": m}) for m in (first, [*first, called, told])]
    if wire == "chat":
        tools = [{"type": "function", "function": {"name": "bash", "parameters": RUN}}]
        body = {
            "model": "m",
            "stream": stream,
            "tools": tools,
            "stream_options": {"include_usage": True},
        }
        first = [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]
        called = {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            ],
        }
        told = {"role": "tool", "tool_call_id": "c", "content": "a"}
        return [
            ("/v1/chat/completions", body | {"messages": m})
            for m in (first, [*first, called, told])
        ]
    if wire == "responses":
        tools = [{"type": "function", "name": "shell", "parameters": RUN}]
        body = {"model": "m", "stream": stream, "tools": tools}
        first = [{"role": "user", "content": "go"}]
        called = {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}
        told = {"type": "function_call_output", "call_id": "c", "output": "a"}
        return [("/v1/responses", body | {"input": m}) for m in (first, [*first, called, told])]
    action = "streamGenerateContent?alt=sse" if stream else "generateContent"
    tools = [{"functionDeclarations": [{"name": "run_shell_command", "parametersJsonSchema": RUN}]}]
    first = [{"role": "user", "parts": [{"text": "go"}]}]
    called = {
        "role": "model",
        "parts": [{"functionCall": {"name": "run_shell_command", "args": {}}}],
    }
    told = {
        "role": "user",
        "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"output": "a"}}}],
    }
    return [(f"/v1beta/models/m:{action}", {"tools": tools, "contents": c}) for c in (first, [*first, called, told])]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses", "gemini"])
def test_metered_is_served(open_talk, server, wire, stream):
    base = server.put("t", {"steps": STEPS})
    talk = open_talk(upstream=Upstream(name="here", base_url=base, any_model=True), environ={})
    for path, body in requests(wire, stream):
        assert talk.send(path, body).status == 200
    traffic = talk.session.close()
    seen = server.session("t").seen
    assert [entry["outcome"] for entry in seen] == ["ok", "ok"]
    assert (traffic.requests, traffic.turns, traffic.tool_calls) == (2, 2, 1)
    served = {key: sum(usage[key] for usage in USAGES) for key in USAGES[0]}
    # only Messages tells what was written to a cache
    fresh, written = served["input"], served["cache_write"]
    if wire == "anthropic":
        assert (traffic.input_tokens, traffic.cache_write_tokens) == (fresh, written)
    else:
        assert traffic.input_tokens == fresh + written
    assert traffic.cache_read_tokens == served["cache_read"]
    assert traffic.output_tokens == served["output"]
    assert traffic.exchanges[0].calls[0].input == {"command": "ls"}
    assert traffic.exchanges[1].results == 1
    assert all(exchange.wire == wire for exchange in traffic.exchanges)


def test_a_flood_of_trouble(open_talk, server):
    """Errors, resets and garbage one after the other; the good answer comes through in the end."""
    steps = [{"text": "ok", "error": {"status": 529, "times": 1}, "usage": USAGES[1]}]
    base = server.put("t", {"steps": steps})
    talk = open_talk(upstream=Upstream(name="here", base_url=base, any_model=True), environ={})
    path, body = requests("anthropic", True)[0]
    assert b"message_stop" in talk.send(path, body).body
    server.put("t", {"steps": [{"fault": "garbage"}]})
    assert talk.send(path, body).body == b"<html>not a model</html>"
    server.put("t", {"steps": [{"fault": "reset"}]})
    answer = talk.send(path, body)
    assert json.loads(answer.body)["type"] == "error"
    traffic = talk.session.close()
    assert traffic.turns == 1
    assert traffic.provider_errors == 2
    assert traffic.error_class == "provider_down"
