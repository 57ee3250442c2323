"""The providers' own client libraries, where they are installed, understand what is said."""

import importlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agenteval.gateway.wire import wire_for
from agenteval.gateway.wire.protocol import Say, ToolCall, Usage

SAY = Say(
    "Grüße, I shall mend it.",
    (ToolCall("bash", "", {"command": "echo 'ü'"}), ToolCall("bash", "", {"command": "ls"})),
    Usage(70, 30, 0, 20),
    "m-1",
)
COMMANDS = [{"command": "echo 'ü'"}, {"command": "ls"}]
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


def official(name):
    """A provider's library; the test extra brings it."""
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0
    limit = False

    def do_POST(self):
        Handler.asked += 1
        body = self.rfile.read(int(self.headers["content-length"]))
        wire = wire_for("POST", self.path)
        reply = wire.say(wire.read(self.path, body), SAY)
        if Handler.limit:
            reply = wire.refuse(0, "limit", "the cost limit of this trial is reached")
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in (*reply.chunks, b""):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, *arguments):
        pass


@pytest.fixture
def url():
    Handler.asked, Handler.limit = 0, False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("stream", [False, True])
def test_anthropic(url, stream):
    anthropic = official("anthropic")
    with anthropic.Anthropic(api_key="none", base_url=url) as client:
        request = {
            "model": "m-1",
            "max_tokens": 99,
            "messages": [{"role": "user", "content": "Mend it"}],
            "tools": [{"name": "bash", "input_schema": SCHEMA}],
        }
        if stream:
            with client.messages.stream(**request) as told:
                message = told.get_final_message()
        else:
            message = client.messages.create(**request)
        assert message.content[0].text == SAY.text
        assert [block.input for block in message.content[1:]] == COMMANDS
        assert message.stop_reason == "tool_use"
        assert (message.usage.input_tokens, message.usage.cache_read_input_tokens) == (70, 30)
        assert message.usage.output_tokens == 20
        Handler.asked, Handler.limit = 0, True
        with pytest.raises(anthropic.APIStatusError, match="cost limit"):
            client.messages.create(**request)
        assert Handler.asked == 1


@pytest.mark.parametrize("stream", [False, True])
def test_openai_completions(url, stream):
    openai = official("openai")
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1") as client:
        request = {
            "model": "m-1",
            "messages": [{"role": "user", "content": "Mend it"}],
            "tools": [{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}],
        }
        if stream:
            with client.chat.completions.stream(
                **request, stream_options={"include_usage": True}
            ) as told:
                done = told.get_final_completion()
        else:
            done = client.chat.completions.create(**request)
        said = done.choices[0].message
        assert said.content == SAY.text
        assert [json.loads(call.function.arguments) for call in said.tool_calls] == COMMANDS
        assert done.choices[0].finish_reason == "tool_calls"
        assert done.usage.prompt_tokens == 100
        assert done.usage.prompt_tokens_details.cached_tokens == 30
        Handler.asked, Handler.limit = 0, True
        with pytest.raises(openai.NotFoundError, match="cost limit"):
            client.chat.completions.create(**request)
        assert Handler.asked == 1


@pytest.mark.parametrize("stream", [False, True])
def test_openai_responses(url, stream):
    openai = official("openai")
    with openai.OpenAI(api_key="none", base_url=f"{url}/v1") as client:
        request = {
            "model": "m-1",
            "input": "Mend it",
            "tools": [{"type": "function", "name": "bash", "parameters": SCHEMA, "strict": False}],
        }
        if stream:
            with client.responses.stream(**request) as told:
                done = told.get_final_response()
        else:
            done = client.responses.create(**request)
        assert done.output_text == SAY.text
        calls = [item for item in done.output if item.type == "function_call"]
        assert [json.loads(call.arguments) for call in calls] == COMMANDS
        assert (done.usage.input_tokens, done.usage.output_tokens) == (100, 20)
        Handler.asked, Handler.limit = 0, True
        with pytest.raises(openai.BadRequestError, match="cost limit"):
            client.responses.create(**request)
        assert Handler.asked == 1


@pytest.mark.parametrize("stream", [False, True])
def test_google(url, stream):
    genai = official("google.genai")
    with genai.Client(api_key="none", http_options={"base_url": url}) as client:
        models = client.models
        if stream:
            pieces = list(models.generate_content_stream(model="m-1", contents="Mend it"))
        else:
            pieces = [models.generate_content(model="m-1", contents="Mend it")]
        parts = [part for piece in pieces for part in piece.candidates[0].content.parts]
        assert "".join(part.text or "" for part in parts) == SAY.text
        assert [part.function_call.args for part in parts if part.function_call] == COMMANDS
        assert pieces[-1].usage_metadata.prompt_token_count == 100
        Handler.asked, Handler.limit = 0, True
        with pytest.raises(genai.errors.ClientError, match="cost limit"):
            models.generate_content(model="m-1", contents="Mend it")
        assert Handler.asked == 1
