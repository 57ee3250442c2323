"""Bedrock's runtime and Vertex on a loopback port, as litellm asks them; nothing here is litellm's."""

import base64
import binascii
import json
import os
import struct
from urllib.parse import parse_qs, unquote

import pytest

from agenteval.errors import MissingProgram
from agenteval.gateway.litellm_library import require_library
from agenteval.gateway.wire import wire_for
from agenteval.gateway.wire.protocol import Say, ToolCall, Usage

KEYS = {"AWS_ACCESS_KEY_ID": "AKIAREALKEYOFOPERATOR", "AWS_SECRET_ACCESS_KEY": "real/secret/of/the/operator"}  # fmt: skip
ACCESS_TOKEN = "ya29.token-that-google-gave"
USAGE = Usage(100, 40, 7, 20)
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
CALL = ToolCall("Bash", "toolu_1", {"command": "ls"})


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One message of AWS's event stream: prelude, its CRC, headers, payload, CRC of it all."""
    head = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in headers.items()
    )  # fmt: skip
    prelude = struct.pack(">II", len(head) + len(payload) + 16, len(head))
    data = prelude + struct.pack(">I", binascii.crc32(prelude)) + head + payload
    return data + struct.pack(">I", binascii.crc32(data))


def event(kind: str, document: dict) -> bytes:
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, json.dumps(document).encode())


def converse_usage(usage: Usage) -> dict:
    """Bedrock's own fields: the total holds what was read from a cache and written to it, the input does not."""
    found = {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
    read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    if usage.cache_read_tokens is not None:
        found |= {"cacheReadInputTokens": read, "cacheWriteInputTokens": written}
    return found | {"totalTokens": sum(filter(None, found.values()))}


def converse(text: str, call: ToolCall | None, usage: Usage | None) -> dict:
    content = [{"text": text}]
    if call is not None:
        content.append({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.input}})
    said = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "end_turn" if call is None else "tool_use",
        "metrics": {"latencyMs": 1},
    }
    return said if usage is None else said | {"usage": converse_usage(usage)}


def converse_stream(text: str, call: ToolCall | None, usage: Usage | None) -> list[bytes]:
    events = [event("messageStart", {"role": "assistant"})]
    events += [
        event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
        for piece in (text[:2], text[2:])
    ]
    events.append(event("contentBlockStop", {"contentBlockIndex": 0}))
    if call is not None:
        start = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        events.append(event("contentBlockStart", {"contentBlockIndex": 1, "start": start}))
        given = json.dumps(call.input)
        for piece in (given[:5], given[5:]):
            delta = {"toolUse": {"input": piece}}
            events.append(event("contentBlockDelta", {"contentBlockIndex": 1, "delta": delta}))
        events.append(event("contentBlockStop", {"contentBlockIndex": 1}))
    events.append(event("messageStop", {"stopReason": "end_turn" if call is None else "tool_use"}))
    if usage is not None:
        told = {"usage": converse_usage(usage), "metrics": {"latencyMs": 1}}
        events.append(event("metadata", told))
    return events


def gemini_usage(usage: Usage) -> dict:
    """Google's own fields: the prompt holds what was read from a cache."""
    prompt = (usage.input_tokens or 0) + (usage.cache_read_tokens or 0)
    return {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": usage.cache_read_tokens,
        "candidatesTokenCount": usage.output_tokens,
        "totalTokenCount": prompt + (usage.output_tokens or 0),
    }


def gemini(text: str, call: ToolCall | None, usage: Usage | None) -> dict:
    parts = [{"text": text}]
    if call is not None:
        parts.append({"functionCall": {"name": call.name, "args": call.input}})
    found = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-2.5-flash",
    }  # fmt: skip
    return found if usage is None else found | {"usageMetadata": gemini_usage(usage)}


def claude(body: bytes, text: str, call: ToolCall | None, usage: Usage, *, stream: bool):
    """What Claude says, whole or as its events: the clouds pass that on."""
    wire = wire_for("POST", "/v1/messages")
    asked = wire.read("/v1/messages", json.dumps({**json.loads(body), "stream": stream}).encode())
    calls = () if call is None else (call,)
    return wire.say(asked, Say(text, calls, usage, "claude-sonnet-4-5-20250929"))


def answer_of(seen, text, call, usage):
    """Headers and chunks, whatever path of a cloud is asked; None where there is no such path."""
    path, query = unquote(seen.path.partition("?")[0]), parse_qs(seen.path.partition("?")[2])
    action = path.rpartition("/")[2] if path.startswith("/model/") else path.rpartition(":")[2]
    action = "count-tokens" if path.endswith("/count-tokens:rawPredict") else action
    amazon = {"content-type": "application/vnd.amazon.eventstream"}
    if action == "converse-stream":
        return amazon, converse_stream(text, call, usage)
    if action == "invoke-with-response-stream":
        lines = b"".join(claude(seen.body, text, call, usage, stream=True).chunks).splitlines()
        datas = [line[5:].strip() for line in lines if line.startswith(b"data:")]
        return amazon, [
            event("chunk", {"bytes": base64.b64encode(data).decode()}) for data in datas
        ]
    if action in ("invoke", "rawPredict", "streamRawPredict"):
        stream = action == "streamRawPredict" and seen.json.get("stream", False)
        reply = claude(seen.body, text, call, usage, stream=stream)
        return reply.headers, reply.chunks
    if action == "streamGenerateContent":
        assert query.get("alt") == ["sse"]
        halves = [gemini(text[:2], None, None), gemini(text[2:], call, usage)]
        del halves[0]["candidates"][0]["finishReason"]
        events = [b"data: " + json.dumps(half).encode() + b"\r\n\r\n" for half in halves]
        return {"content-type": "text/event-stream"}, events
    told = {
        "converse": converse(text, call, usage),
        "generateContent": gemini(text, call, usage),
        "count-tokens": {"inputTokens": 17, "input_tokens": 17},  # Bedrock's word, and Anthropic's
    }.get(action)
    return told and ({"content-type": "application/json"}, [json.dumps(told).encode()])


def service_account(folder, url):
    """A key file of Google's, whose tokens are given out on loopback."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "account.json"
    told = {
        "type": "service_account",
        "project_id": "some-project",
        "private_key_id": "1",
        "private_key": key.decode(),
        "client_email": "tests@some-project.iam.gserviceaccount.com",
        "token_uri": f"{url}/token",
    }
    path.write_text(json.dumps(told))
    return path


ASKED = {
    "chat": {
        "messages": [{"role": "system", "content": "be good"}, {"role": "user", "content": "do it"}],
        "max_tokens": 50,
        "tools": [{"type": "function", "function": {"name": "Bash", "parameters": SHELL}}],
        "prompt_cache_key": "agents-own",
    },
    "anthropic": {
        "messages": [{"role": "user", "content": "do it"}],
        "system": [{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}],
        "max_tokens": 50,
        "tools": [{"name": "Bash", "input_schema": SHELL}],
        "metadata": {"user_id": "someone"},
    },
    "responses": {
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "do it"}]}],
        "instructions": "be good",
        "tools": [{"type": "function", "name": "Bash", "parameters": SHELL}],
        "store": False,
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "do it"}]}],
        "systemInstruction": {"parts": [{"text": "be good"}]},
        "generationConfig": {"maxOutputTokens": 50},
        "tools": [{"functionDeclarations": [{"name": "Bash", "parameters": SHELL}]}],
    },
}  # fmt: skip
PATHS = {"chat": "/v1/chat/completions", "anthropic": "/v1/messages?beta=true", "responses": "/v1/responses"}  # fmt: skip


def asks(wire, *, stream=False, **more):
    """Path and body of an agent's request."""
    if wire == "gemini":
        action = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/v1beta/models/asked:{action}", ASKED[wire] | more
    return PATHS[wire], ASKED[wire] | {"model": "asked", "stream": stream} | more


class Clouds:
    """Both clouds on one port; they answer in turn what they are told to."""

    call, usage, keys, token = CALL, USAGE, KEYS, ACCESS_TOKEN
    asks, frame = staticmethod(asks), staticmethod(frame)

    def __init__(self, provider, monkeypatch, folder):
        self.provider, self._env, self._folder = provider, monkeypatch, folder
        for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        for name, value in KEYS.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_BEDROCK_RUNTIME_ENDPOINT", provider.url)
        monkeypatch.setenv("VERTEXAI_API_BASE", provider.url)
        monkeypatch.setenv("VERTEXAI_PROJECT", "some-project")
        monkeypatch.setenv("VERTEXAI_LOCATION", "us-east5")

        key = service_account(folder, provider.url)
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))

    def says(self, text="hello", call=None, usage=USAGE):
        """A step: an answer in the form of the path that is asked."""

        async def step(request, seen):
            headers, chunks = answer_of(seen, text, call, usage)
            return await self.provider.send(request, 200, headers, chunks)

        return step

    def will(self, *steps):
        """What comes next, in order; Google's tokens are given out in between."""
        self.provider.will(*map(self._with_tokens, steps))

    def _with_tokens(self, step):
        async def either(request, seen):
            if seen.path != "/token":
                return await step(request, seen)
            self.provider.steps.appendleft(either)
            told = {"access_token": ACCESS_TOKEN, "expires_in": 3600, "token_type": "Bearer"}
            data = json.dumps(told).encode()
            return await self.provider.send(
                request, 200, {"content-type": "application/json"}, [data]
            )

        return either

    def asked(self):
        """Requests to a model, in order."""
        return [seen for seen in self.provider.seen if seen.path != "/token"]


@pytest.fixture
def clouds(provider, monkeypatch, tmp_path):
    try:
        require_library("bedrock", "bedrock/...")
        require_library("vertex_ai", "vertex/...")
    except MissingProgram as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))
    return Clouds(provider, monkeypatch, tmp_path)


@pytest.fixture
def talk_class(talk):
    """An agent's side of the wire."""
    return type(talk)
