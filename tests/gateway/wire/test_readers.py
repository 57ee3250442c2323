"""What a reader makes of an answer: the same however it is cut, and never an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.gateway.wire import WIRES
from agenteval.gateway.wire.protocol import Asked, Say, ToolCall, Usage

WIRE = {wire.name: wire for wire in WIRES}
SAID = Say(
    "Grüße, 世界: I shall mend it.",
    (ToolCall("bash", "", {"command": "echo 'ü' > a\n"}), ToolCall("read", "", {})),
    Usage(70, 30, 0, 20),
    "m-1",
)
ASKED = [
    Asked("generate", "m-1", stream=stream, array=array)
    for stream, array in ((False, False), (True, False), (True, True))
]


def read(wire, body, *, asked=ASKED[1], status=200, size=None):
    reader = WIRE[wire].reader(asked, status)
    chunks = [body] if size is None else [body[at : at + size] for at in range(0, len(body), size)]
    for chunk in chunks:
        reader.feed(chunk)
    return reader.answered()


def stream(*events, done=False):
    told = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return (told + ("data: [DONE]\n\n" if done else "")).encode()


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize("asked", ASKED, ids=["whole", "stream", "array"])
@pytest.mark.parametrize("size", [1, 2, 7, None])
def test_what_is_said_is_read_back(wire, asked, size):
    reply = WIRE[wire].say(asked, SAID)
    answer = read(wire, b"".join(reply.chunks), asked=asked, size=size)
    assert reply.status == 200
    assert answer.text == SAID.text
    assert answer.usage == SAID.usage
    assert answer.model == "m-1"
    assert [(c.name, c.input) for c in answer.calls] == [(c.name, c.input) for c in SAID.calls]
    assert len({c.id for c in answer.calls}) == 2
    assert answer.complete
    assert answer.error is None


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize("asked", ASKED, ids=["whole", "stream", "array"])
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    cuts=st.lists(st.integers(0, 6000), max_size=8), newline=st.sampled_from(["\n", "\r\n", "\r"])
)
def test_cuts_and_line_ends_change_nothing(wire, asked, cuts, newline):
    body = b"".join(WIRE[wire].say(asked, SAID).chunks)
    whole = read(wire, body, asked=asked)
    if asked.stream and not (asked.array and wire == "gemini"):
        body = body.replace(b"\n", newline.encode())
    reader, before = WIRE[wire].reader(asked, 200), 0
    for cut in sorted(min(cut, len(body)) for cut in cuts):
        reader.feed(body[before:cut])
        reader.answered()  # asking in between changes nothing either
        before = cut
    reader.feed(body[before:])
    assert reader.answered() == whole


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, None])
def test_data_of_several_lines_is_one_event(newline, size):
    lines = ["event: x", 'data: {"model":', ": a comment", 'data:"g"}', "", "data: [DONE]", "", ""]
    answer = read("chat", newline.join(lines).encode(), size=size)
    assert (answer.model, answer.complete) == ("g", True)


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize("asked", ASKED, ids=["whole", "stream", "array"])
def test_an_answer_cut_short_is_not_complete(wire, asked):
    reply = WIRE[wire].say(asked, SAID)
    body = b"".join(reply.chunks)
    kept = body[: len(body) // 2] if len(reply.chunks) == 1 else b"".join(reply.chunks[:2])
    answer = read(wire, kept, asked=asked)
    assert not answer.complete
    assert answer.usage.output_tokens is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def mangled(draw, document):
    """A document with some of its values replaced by whatever else."""
    if draw(st.integers(0, 5)) == 0:
        return draw(values)
    if isinstance(document, dict):
        return {key: draw(mangled(value)) for key, value in document.items()}
    if isinstance(document, list):
        return [draw(mangled(value)) for value in document]
    return document


EVENTS = {
    (name, asked.stream): [
        json.loads(line.removeprefix("data: "))
        for line in b"".join(WIRE[name].say(asked, SAID).chunks).decode().split("\n")
        if "{" in line
    ]
    for name in WIRE
    for asked in ASKED[:2]
}


@pytest.mark.parametrize("wire", WIRE)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data(), streamed=st.booleans(), status=st.sampled_from([200, 500]))
def test_mangled_answers_raise_nothing(wire, data, streamed, status):
    events = [data.draw(mangled(event)) for event in EVENTS[wire, streamed][:9]]
    asked = ASKED[1] if streamed else ASKED[0]
    body = stream(*events) if streamed else json.dumps(events[0]).encode()
    answer = read(wire, body, asked=asked, status=status)
    for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"):
        count = getattr(answer.usage, name)
        assert count is None or (type(count) is int and count >= 0)
    assert all(isinstance(call.name, str) for call in answer.calls)


@pytest.mark.parametrize("wire", WIRE)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(garbage=st.binary(max_size=200), status=st.sampled_from([200, 404]))
def test_garbage_is_unknown(wire, garbage, status):
    answer = read(wire, garbage, status=status, size=3)
    assert not answer.complete
    assert answer.usage == Usage()
    assert (answer.error is None) == (status == 200)


@pytest.mark.parametrize("wire", WIRE)
def test_deep_nesting_and_long_numbers_raise_nothing(wire):
    for body in (b"[" * 200_000, b'{"a":' * 200_000, b'data: {"usage": ' + b"9" * 9000 + b"}\n\n"):
        assert not read(wire, body).complete


@pytest.mark.parametrize("wire", WIRE)
def test_refusals_are_read_back(wire):
    for kind in WIRE[wire].statuses:
        reply = WIRE[wire].refuse(0, kind, "the cost limit is reached")
        answer = read(wire, b"".join(reply.chunks), status=reply.status)
        assert reply.status == WIRE[wire].statuses[kind] >= 400
        assert answer.error == "the cost limit is reached"
        assert not answer.complete
    assert WIRE[wire].refuse(418, "server", "x").status == 418


def test_a_page_in_place_of_an_error_is_quoted():
    assert (
        read("chat", b"<html>Bad gateway</html>", status=502).error
        == "HTTP 502: <html>Bad gateway</html>"
    )


def test_messages_usage_is_the_last_word():
    start = {
        "input_tokens": 9,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 4,
        "output_tokens": 1,
    }
    body = stream(
        {"type": "message_start", "message": {"model": "c", "usage": start}},
        {"type": "ping"},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 3, "input_tokens": None},
        },
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 8}},
        {"type": "message_stop"},
    )
    answer = read("anthropic", body)
    assert answer.usage == Usage(9, 5, 4, 8)
    assert answer.stop_reason == "end_turn"


def test_messages_keep_thought_and_what_runs_at_the_provider_apart():
    document = {
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
            {"type": "text", "text": "Found."},
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
        ],
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": 5,
            "output_tokens": 2,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 9,
            "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 7},
        },
    }
    answer = read("anthropic", json.dumps(document).encode())
    assert answer.text == "Found."
    assert answer.calls == (ToolCall("Bash", "t", {"command": "ls"}),)
    assert answer.usage == Usage(5, 0, 9, 2, 7)


def test_messages_error_in_a_stream_is_an_error():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 4, "output_tokens": 1}}}
    answer = read("anthropic", stream(start, error))
    assert (answer.error, answer.complete, answer.usage.input_tokens) == ("Overloaded", False, 4)


CHUNK = {
    "model": "g",
    "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}],
}


def test_chat_without_usage_is_unknown_and_never_zero():
    for body in (stream(CHUNK, done=True), stream({**CHUNK, "usage": None}, done=True)):
        answer = read("chat", body)
        assert answer.usage == Usage()
        assert answer.complete
        assert answer.text == "hi"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 4}, Usage(10, None, None, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}}, Usage(4, 6, 0, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 3}}, Usage(1, 6, 3, 4)),
        ({"prompt_tokens": 15, "completion_tokens": 4, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3}, Usage(5, 7, 3, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 4, "prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 3}, Usage(3, 7, 0, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 11}}, Usage(None, 11, 0, 4)),
        ({"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 30}}, Usage(10, None, None, 40)),
        ({"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 80, "completion_tokens_details": {"reasoning_tokens": 30}}, Usage(10, None, None, 70)),
    ],
    ids=["plain", "cached", "written", "litellm", "deepseek", "contradiction", "reasoning inside", "reasoning outside"],
)  # fmt: skip
def test_chat_usage_is_taken_apart(usage, expected):
    assert read("chat", stream(CHUNK, {"choices": [], "usage": usage}, done=True)).usage == expected
    assert read("chat", json.dumps({**CHUNK, "usage": usage}).encode()).usage == expected


def test_chat_usage_of_an_earlier_chunk_stays_when_later_ones_have_none():
    told = {**CHUNK, "usage": {"prompt_tokens": 10, "completion_tokens": 4}}
    body = stream(told, {"choices": [], "usage": None}, {"choices": []}, done=True)
    assert read("chat", body).usage == Usage(10, None, None, 4)


def test_of_several_choices_the_first_is_read():
    other = {"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}
    answer = read("chat", stream({"choices": [other, *CHUNK["choices"]]}, {"choices": [other]}))
    assert (answer.text, answer.stop_reason) == ("hi", "stop")


def test_an_error_beside_an_answer_is_an_error():
    document = {**CHUNK, "error": {"message": "it broke"}}
    answer = read("chat", json.dumps(document).encode())
    assert (answer.error, answer.complete) == ("it broke", False)


def test_chat_calls_in_pieces_and_as_objects():
    def delta(*calls):
        return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}}]}

    body = stream(
        delta({"index": 0, "id": "a", "function": {"name": "bash", "arguments": ""}}),
        delta({"index": 1, "id": "b", "function": {"name": "other", "arguments": "nonsense"}}),
        delta({"index": 0, "function": {"arguments": '{"command"'}}),
        delta({"index": 0, "function": {"arguments": ': "ls"}'}}),
    )
    assert read("chat", body).calls == (
        ToolCall("bash", "a", {"command": "ls"}),
        ToolCall("other", "b", None, "nonsense"),
    )
    said = {
        "message": {"tool_calls": [{"function": {"name": "bash", "arguments": {"command": "ls"}}}]}
    }
    assert read("chat", json.dumps({"choices": [said]}).encode()).calls[0].input == {
        "command": "ls"
    }


RESPONSE = {
    "model": "g",
    "output": [],
    "usage": {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10, "cache_write_tokens_details": {"ttl_30m_tokens": 6, "ttl_12h_tokens": 4}},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 15},
        "total_tokens": 120,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("status", "stop", "error", "more"),
    [
        ("completed", "completed", None, {}),
        ("incomplete", "max_output_tokens", None, {"incomplete_details": {"reason": "max_output_tokens"}}),
        ("failed", "failed", "no luck", {"error": {"code": "server_error", "message": "no luck"}}),
    ],
)  # fmt: skip
def test_responses_end_in_three_ways_and_all_are_metered(status, stop, error, more):
    call = {
        "type": "function_call",
        "call_id": "c",
        "name": "shell",
        "arguments": '{"command": ["ls"]}',
    }
    patch = {
        "type": "custom_tool_call",
        "call_id": "d",
        "name": "apply_patch",
        "input": "*** Begin",
    }
    ended = {**RESPONSE, **more, "status": status}
    body = stream(
        {"type": "response.created", "response": {"model": "g", "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 1, "item": patch},
        {"type": "response.output_item.done", "output_index": 0, "item": call},
        {"type": f"response.{status}", "response": ended},
    )
    answer = read("responses", body)
    assert answer.usage == Usage(30, 60, 10, 20, 4)
    assert (answer.stop_reason, answer.error) == (stop, error)
    assert answer.complete == (error is None)
    assert answer.calls == (
        ToolCall("shell", "c", {"command": ["ls"]}),
        ToolCall("apply_patch", "d", None, "*** Begin"),
    )
    assert read("responses", json.dumps(ended).encode()).usage == answer.usage


PIECE = {"candidates": [{"content": {"parts": [{"text": "hi"}, {"text": "hm", "thought": True}]}}]}


@pytest.mark.parametrize("array", [False, True])
def test_gemini_thoughts_are_output_and_tool_prompts_are_input(array):
    last = {
        "candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}, "finishReason": "STOP"}],
        "modelVersion": "gemini-2.5-pro",
        "usageMetadata": {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 30,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 5,
            "toolUsePromptTokenCount": 8,
        },
    }  # fmt: skip
    pieces = [{**PIECE, "usageMetadata": {"promptTokenCount": 100}}, last]
    body = json.dumps(pieces, indent=1).encode() if array else stream(*pieces)
    answer = read("gemini", body, asked=ASKED[2 if array else 1])
    assert answer.usage == Usage(78, 30, 0, 25)
    assert (answer.text, answer.stop_reason, answer.complete) == ("hi", "STOP", True)
    assert answer.calls == (ToolCall("f", "", {}),)


def test_gemini_that_blocks_a_prompt_has_ended():
    body = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 7}}
    answer = read("gemini", json.dumps(body).encode())
    assert (answer.stop_reason, answer.complete) == ("SAFETY", True)
    assert answer.usage == Usage(7, 0, 0, 0)


def test_gemini_array_that_is_an_error():
    body = b'[{"error": {"code": 503, "message": "overloaded"}}]'
    assert read("gemini", body, asked=ASKED[2]).error == "overloaded"


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ("anthropic", "/v1/messages/count_tokens?beta=true"),
        ("responses", "/v1/responses/input_tokens"),
        ("gemini", "/v1beta/models/g:countTokens"),
    ],
)
def test_counting_tokens_uses_none(wire, path):
    asked = WIRE[wire].read(path, b'{"model": "m"}')
    assert asked.kind == "count"
    assert WIRE[wire].asks("POST", path)
    reply = WIRE[wire].count(123)
    answer = read(wire, b"".join(reply.chunks), asked=asked)
    assert b"123" in reply.chunks[0]
    assert (answer.complete, answer.usage) == (True, Usage())
