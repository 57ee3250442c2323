"""A scripted model server that others wrote, as a peer over loopback."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared"
SERVER = SHARED / "tools/mock_model_server.py"
SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
}


@dataclass
class Peer:
    """The server: sessions are put, requests are posted."""

    port: int

    def ask(self, method: str, path: str, body: object) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            sent = json.dumps(body).encode()
            connection.request(method, path, sent, {"content-type": "application/json"})
            answer = connection.getresponse()
            try:
                read = answer.read()
            except http.client.IncompleteRead as cut:
                read = cut.partial
            except ConnectionResetError:
                read = b""
            return answer.status, answer.headers.get_content_type(), read
        finally:
            connection.close()

    def last_seen(self, name: str) -> dict:
        """What it noted of the last request, which it does only after it has answered."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            seen = json.loads(self.ask("GET", f"/_ctl/sessions/{name}", {})[2])["seen"]
            if seen:
                return seen[-1]
        raise AssertionError(f"{name} was asked nothing")

    def put(self, name: str, script: object) -> None:
        status, _, _ = self.ask("PUT", f"/_ctl/sessions/{name}", {"script": script})
        assert status == 200


@pytest.fixture(scope="session")
def peer(tmp_path_factory) -> Iterator[Peer]:
    if not SERVER.is_file():
        pytest.skip("the scripted model server is not beside this checkout")
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        yield Peer(int(server.stdout.readline().strip().rsplit(":", 1)[1]))
    finally:
        server.terminate()
        server.communicate(timeout=30)


def opening(wire: str, *, stream: bool = False, tools: bool = True) -> tuple[str, dict]:
    """Path and body of a first request in a format."""
    asked = "Mend the greeting."
    if wire == "gemini":
        action = "streamGenerateContent?alt=sse" if stream else "generateContent"
        declared = {"name": "run_shell_command", "parametersJsonSchema": SCHEMA}
        body = {"contents": [{"role": "user", "parts": [{"text": asked}]}]}
        if tools:
            body["tools"] = [{"functionDeclarations": [declared]}]
        return f"/v1beta/models/gemini-2.5-pro:{action}", body
    function = {"name": "bash", "description": "runs", "parameters": SCHEMA}
    paths = {
        "anthropic": "/v1/messages",
        "chat": "/v1/chat/completions",
        "responses": "/v1/responses",
    }
    given = {
        "anthropic": [{"name": "bash", "input_schema": SCHEMA}],
        "chat": [{"type": "function", "function": function}],
        "responses": [{"type": "function", **function}],
    }
    body = {"model": "m-1", "stream": stream}
    said = [{"role": "user", "content": asked}]
    body |= {"input": said} if wire == "responses" else {"messages": said}
    if wire == "anthropic":
        body["max_tokens"] = 100
    if wire == "chat" and stream:
        body["stream_options"] = {"include_usage": True}
    if tools:
        body["tools"] = given[wire]
    return paths[wire], body


@pytest.fixture
def first_request():
    return opening
