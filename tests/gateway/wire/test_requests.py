"""What is understood of a request: model, tools, how far the conversation is, what is new in it."""

import json

import pytest

from agenteval.gateway.wire import WIRES, wire_for
from agenteval.gateway.wire.protocol import Asked, Say, ToolCall, Usage

WIRE = {wire.name: wire for wire in WIRES}


def encoded(document):
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("POST", "/v1/messages", "anthropic"),
        ("POST", "/v1/messages?beta=true", "anthropic"),
        ("POST", "/v1/messages/count_tokens", "anthropic"),
        ("POST", "/v1/chat/completions", "chat"),
        ("POST", "/chat/completions", "chat"),
        ("POST", "/v1/responses", "responses"),
        ("POST", "/v1/responses/input_tokens", "responses"),
        ("POST", "/v1beta/models/gemini-2.5-pro:generateContent", "gemini"),
        ("POST", "/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini"),
        ("POST", "/v1beta/models/g:countTokens", "gemini"),
        ("GET", "/v1/messages", None),
        ("GET", "/v1/models", None),
        ("GET", "/v1/responses/resp_1", None),
        ("POST", "/v1/embeddings", None),
        ("HEAD", "/", None),
    ],
)
def test_a_path_has_one_format(method, path, name):
    assert getattr(wire_for(method, path), "name", None) == name
    assert sum(wire.asks(method, path) for wire in WIRES) == (name is not None)


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"null", b'"x"', b"{"])
def test_what_cannot_be_read_is_other(wire, body):
    assert WIRE[wire].read("/v1/models/g:generateContent", body) == Asked("other")


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize(
    "body",
    [
        {"messages": 3, "input": {"a": 1}, "contents": "x", "tools": {"a": 1}},
        {"messages": [3, None], "input": [3], "contents": [None], "tools": [4, {"function": 3}]},
        {"messages": [{"role": 3, "content": {"a": 1}}], "input": [{"type": [1], "content": 3}]},
        {"contents": [{"role": "user", "parts": [{"functionResponse": 3}, 4]}], "model": 3},
    ],
)
def test_odd_fields_raise_nothing(wire, body):
    asked = WIRE[wire].read("/v1/models/g:generateContent", encoded(body))
    assert asked.kind == "generate"
    assert list(WIRE[wire].turns_in(encoded(body))) is not None


def test_messages_are_understood():
    def said(role, *content):
        return {"role": role, "content": list(content)}

    text = {"type": "text", "text": "Mend it", "cache_control": {"type": "ephemeral"}}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1"}
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    body = {
        "model": "claude-sonnet-4-5",
        "stream": True,
        "system": [{"type": "text", "text": "Be good", "cache_control": {"type": "ephemeral"}}],
        "tools": [
            {"name": "Bash", "input_schema": {"properties": {"command": {}}}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
        ],
        "messages": [
            said("user", text),
            said("assistant", call),
            said("user", {**result, "content": "old"}),
            said("assistant", {"type": "thinking", "thinking": "hm"}),
            said("assistant", call),
            said("user", {**result, "content": parts, "is_error": True}, text),
        ],
    }
    asked = WIRE["anthropic"].read("/v1/messages", encoded(body))
    assert asked.results == (("t1", "a\nb", True),)
    assert (asked.depth, asked.model, asked.stream) == (2, "claude-sonnet-4-5", True)
    assert [tool.name for tool in asked.tools] == ["Bash", "web_search"]

    first = {**body, "messages": [said("user", {"type": "text", "text": "Mend it"})]}
    again = WIRE["anthropic"].read("/v1/messages", encoded(first))
    assert again.opening == asked.opening, "marks of what to cache move from request to request"
    other = {**body, "messages": [said("user", {"type": "text", "text": "Mend that"})]}
    assert WIRE["anthropic"].read("/v1/messages", encoded(other)).opening != asked.opening
    turns = list(WIRE["anthropic"].turns_in(encoded(body)))
    assert [turn["role"] for turn in turns[:3]] == ["system", "user", "assistant"]
    assert "cache_control" not in json.dumps(turns)


def test_completions_are_understood():
    body = {
        "model": "gpt-5",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"a": 1}}}],
        "messages": [
            {"role": "system", "content": "Be good"},
            {"role": "user", "content": "Mend it"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
            {"role": "tool", "tool_call_id": "d", "content": [{"type": "text", "text": "too"}]},
        ],
    }
    asked = WIRE["chat"].read("/v1/chat/completions", encoded(body))
    assert asked.results == (("c", "done", False), ("d", "too", False))
    assert (asked.depth, asked.usage_asked, asked.tools[0].name) == (1, True, "bash")
    assert len(list(WIRE["chat"].turns_in(encoded(body)))) == 5
    silent = {**body, "stream_options": None}
    assert not WIRE["chat"].read("/", encoded(silent)).usage_asked


def test_responses_are_understood():
    def message(role, text):
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    body = {
        "model": "gpt-5-codex",
        "instructions": "Be good",
        "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"a": 1}},
            {"type": "custom", "name": "apply_patch", "format": {}},
            {"type": "namespace", "name": "mcp", "tools": [{"type": "function", "name": "find"}]},
            {"type": "web_search"},
        ],
        "input": [
            message("developer", "<permissions>"),
            message("user", "<environment>"),
            message("user", "Mend it"),
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
            {"type": "custom_tool_call_output", "call_id": "d", "output": [{"text": "too"}]},
        ],
    }
    asked = WIRE["responses"].read("/v1/responses", encoded(body))
    assert asked.results == (("c", "done", False), ("d", "too", False))
    assert [tool.name for tool in asked.tools] == [
        "exec_command",
        "apply_patch",
        "find",
        "web_search",
    ]
    assert asked.depth == 1
    assert len(list(WIRE["responses"].turns_in(encoded(body)))) == 8
    first = {**body, "input": body["input"][:3]}
    assert WIRE["responses"].read("/", encoded(first)).opening == asked.opening
    thought = {**body, "input": [*body["input"][:4], message("user", "Go on")]}
    assert WIRE["responses"].read("/", encoded(thought)).depth == 1
    plain = WIRE["responses"].read("/", encoded({"model": "g", "input": "Mend it"}))
    assert (plain.kind, plain.depth) == ("generate", 0)


def test_gemini_is_understood():
    body = {
        "systemInstruction": {"parts": [{"text": "Be good"}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "run_shell_command", "parametersJsonSchema": {"a": 1}}
                ]
            },
            {"googleSearch": {}},
        ],
        "contents": [
            {"role": "user", "parts": [{"text": "Mend it"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command"}}]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"id": "c", "name": "f", "response": {"output": "done"}}},
                    {"functionResponse": {"name": "g", "response": {"error": "no"}}},
                ],
            },
        ],
    }
    path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent"
    asked = WIRE["gemini"].read(f"{path}?alt=sse", encoded(body))
    assert asked.results == (("c", "done", False), ("g", "no", True))
    assert [tool.name for tool in asked.tools] == ["run_shell_command", "googleSearch"]
    assert (asked.model, asked.stream, asked.array, asked.depth) == (
        "gemini-2.5-pro",
        True,
        False,
        1,
    )
    assert WIRE["gemini"].read(path, encoded(body)).array
    turns = list(WIRE["gemini"].turns_in(encoded(body)))
    assert [turn["role"] for turn in turns] == ["system", "user", "model", "user"]


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
def test_another_model_in_the_body(wire):
    body = encoded({"model": "a", "text": "Grüße"})
    path, changed = WIRE[wire].with_model("/p?x=1", body, "b")
    assert path == "/p?x=1"
    assert json.loads(changed) == {"model": "b", "text": "Grüße"}
    assert WIRE[wire].with_model("/p", changed, "b") == ("/p", changed)


def test_another_model_in_the_path():
    body = encoded({"contents": []})
    path = "/v1beta/models/a:streamGenerateContent?alt=sse"
    assert WIRE["gemini"].with_model(path, body, "b") == (path.replace("/a:", "/b:"), body)
    inner = encoded({"generateContentRequest": {"model": "models/a", "contents": []}})
    path, changed = WIRE["gemini"].with_model("/v1beta/models/a:countTokens", inner, "b")
    assert path == "/v1beta/models/b:countTokens"
    assert json.loads(changed)["generateContentRequest"]["model"] == "models/b"


@pytest.mark.parametrize("wire", WIRE)
def test_what_is_said_carries_the_formats_own_marks(wire):
    say = Say("", (ToolCall("bash", "", {}), ToolCall("bash", "mine", {})), length=True)
    ids = {"anthropic": "toolu_", "chat": "call_", "responses": "call_", "gemini": ""}
    stops = {"anthropic": "max_tokens", "chat": "length", "responses": "max_output_tokens", "gemini": "MAX_TOKENS"}  # fmt: skip
    for stream in (False, True):
        asked = Asked("generate", stream=stream)
        reply = WIRE[wire].say(asked, say)
        reader = WIRE[wire].reader(asked, 200)
        reader.feed(b"".join(reply.chunks))
        answer = reader.answered()
        assert answer.stop_reason == stops[wire]
        assert answer.calls[0].id.startswith(ids[wire])
        assert answer.calls[1].id == "mine"
        assert ("event-stream" in reply.headers["content-type"]) == stream


@pytest.mark.parametrize("wire", WIRE)
def test_unknown_usage_is_said_as_unknown(wire):
    asked = Asked("generate", stream=True)
    reply = WIRE[wire].say(asked, Say("hi", usage=Usage()))
    reader = WIRE[wire].reader(asked, 200)
    reader.feed(b"".join(reply.chunks))
    assert reader.answered().usage.input_tokens is None


def test_a_client_that_wants_no_usage_gets_none():
    reply = WIRE["chat"].say(Asked("generate", stream=True, usage_asked=False), Say("hi"))
    assert b"usage" not in b"".join(reply.chunks)
