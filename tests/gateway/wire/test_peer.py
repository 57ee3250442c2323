"""A server that others wrote: what is read of its answers is what it says that it served."""

import json

import pytest

from agenteval.gateway.wire import WIRES, wire_for
from agenteval.gateway.wire.protocol import Usage

USAGE = {"input": 70, "output": 20, "cache_read": 30, "cache_write": 0, "reasoning": 0}
STEP = {
    "text": "Grüße, I shall mend it.",
    "calls": [{"do": "run", "command": "echo 'ü' > a"}, {"do": "run", "command": "ls"}],
    "usage": USAGE,
}
NAMES = [wire.name for wire in WIRES]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", NAMES)
def test_what_is_read_is_what_was_served(peer, first_request, wire, stream):
    name = f"served-{wire}-{stream}"
    peer.put(name, {"steps": [STEP]})
    path, body = first_request(wire, stream=stream)
    status, sort, answered = peer.ask("POST", f"/s/{name}{path}", body)
    assert (status, sort) == (200, "text/event-stream" if stream else "application/json")

    found = wire_for("POST", path)
    assert found is not None
    assert found.name == wire
    asked = found.read(path, json.dumps(body).encode())
    assert (asked.kind, asked.stream, asked.depth) == ("generate", stream, 0)
    reader = found.reader(asked, status)
    for at in range(0, len(answered), 11):
        reader.feed(answered[at : at + 11])
    answer = reader.answered()

    served = peer.last_seen(name)["reply"]
    assert answer.text == served["text"]
    assert [(c.name, c.input) for c in answer.calls] == [
        (c["name"], c["input"]) for c in served["calls"]
    ]
    assert all(c["id"] in made.id for c, made in zip(served["calls"], answer.calls, strict=True))
    assert answer.usage == Usage(70, 30, 0, 20, answer.usage.long_cache_write_tokens)
    assert answer.complete
    assert answer.model == asked.model


@pytest.mark.parametrize("wire", NAMES)
def test_reasoning_is_in_the_output_once(peer, first_request, wire):
    inside = wire != "gemini"  # there thoughts come on top of the candidates
    usage = {**USAGE, "output": 20 if inside else 5, "reasoning": 15}
    peer.put(f"thought-{wire}", {"steps": [{"text": "hm", "usage": usage}]})
    path, body = first_request(wire)
    status, _, answered = peer.ask("POST", f"/s/thought-{wire}{path}", body)
    found = wire_for("POST", path)
    reader = found.reader(found.read(path, json.dumps(body).encode()), status)
    reader.feed(answered)
    assert reader.answered().usage.output_tokens == 20


@pytest.mark.parametrize("wire", NAMES)
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_errors_are_read(peer, first_request, wire, status):
    name = f"error-{wire}-{status}"
    peer.put(name, {"steps": [{"error": {"status": status, "message": "not today"}}]})
    path, body = first_request(wire, stream=True)
    got, _, answered = peer.ask("POST", f"/s/{name}{path}", body)
    found = wire_for("POST", path)
    reader = found.reader(found.read(path, json.dumps(body).encode()), got)
    reader.feed(answered)
    assert got == status
    assert reader.answered().error == "not today"
    assert reader.answered().usage == Usage()


@pytest.mark.parametrize("wire", NAMES)
def test_a_stream_that_is_cut_is_not_complete(peer, first_request, wire):
    peer.put(f"cut-{wire}", {"steps": [{**STEP, "fault": "cut"}]})
    path, body = first_request(wire, stream=True)
    status, _, answered = peer.ask("POST", f"/s/cut-{wire}{path}", body)
    found = wire_for("POST", path)
    reader = found.reader(found.read(path, json.dumps(body).encode()), status)
    reader.feed(answered)
    assert not reader.answered().complete


@pytest.mark.parametrize("wire", NAMES)
def test_both_count_the_same_turns(peer, first_request, wire):
    """Our position in a conversation is the one at which the peer plays the next step."""
    name = f"turns-{wire}"
    peer.put(
        name, {"steps": [{"text": "one", **{k: STEP[k] for k in ("calls",)}}, {"text": "two"}]}
    )
    path, body = first_request(wire)
    found = wire_for("POST", path)
    first = found.read(path, json.dumps(body).encode())
    answered = json.loads(peer.ask("POST", f"/s/{name}{path}", body)[2])
    grow = {
        "anthropic": lambda: body["messages"].extend(
            [
                {"role": "assistant", "content": answered["content"]},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": b["id"], "content": "done"}
                        for b in answered["content"]
                        if b["type"] == "tool_use"
                    ],
                },
            ]
        ),
        "chat": lambda: body["messages"].extend(
            [answered["choices"][0]["message"]]
            + [
                {"role": "tool", "tool_call_id": c["id"], "content": "done"}
                for c in answered["choices"][0]["message"]["tool_calls"]
            ]
        ),
        "responses": lambda: body["input"].extend(
            answered["output"]
            + [
                {"type": "function_call_output", "call_id": i["call_id"], "output": "done"}
                for i in answered["output"]
                if i["type"] == "function_call"
            ]
        ),
        "gemini": lambda: body["contents"].extend(
            [
                answered["candidates"][0]["content"],
                {
                    "role": "user",
                    "parts": [
                        {
                            "functionResponse": {
                                "id": p["functionCall"]["id"],
                                "name": p["functionCall"]["name"],
                                "response": {"output": "done"},
                            }
                        }
                        for p in answered["candidates"][0]["content"]["parts"]
                        if "functionCall" in p
                    ],
                },
            ]
        ),
    }
    grow[wire]()
    second = found.read(path, json.dumps(body).encode())
    assert (second.depth, second.opening) == (1, first.opening)
    assert [(text, failed) for _, text, failed in second.results] == [("done", False)] * 2
    assert b"two" in peer.ask("POST", f"/s/{name}{path}", body)[2]
