"""A scripted model server: real HTTP, OpenAI's and Anthropic's shapes, and every way to go wrong."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Step = dict[str, Any]
Script = Callable[[dict[str, Any]], Step]


class ModelServer(ThreadingHTTPServer):
    """Answers with what `script` gives for a request: `text`, `status`, `raw`, `hang`, `refuse`.

    `script` is called with `{"model", "system", "user", "number"}`; `seen` holds what came in.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.seen: list[dict[str, Any]] = []
        self.connections = 0
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def close(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()
        self.thread.join()

    def get_request(self) -> Any:
        """Count whoever connects, whatever it asks for."""
        self.connections += 1
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the game."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *parts: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        anthropic = self.path.endswith("/messages")
        messages = {m["role"]: m["content"] for m in body["messages"]}
        asked = {
            "model": body["model"],
            "system": body["system"] if anthropic else messages["system"],
            "user": messages["user"],
            "headers": {k.lower(): v for k, v in self.headers.items()},
            "body": body,
            "path": self.path,
        }
        with self.server.lock:
            asked["number"] = len(self.server.seen)
            self.server.seen.append(asked)
        step = self.server.script(asked)
        if step.get("hang"):
            self.server.stopping.wait(60)
            self.close_connection = True
            return
        if "raw" in step:
            self.send(step.get("status", 200), step["raw"], step.get("headers", {}))
            return
        if "status" in step:
            error = step.get("error", "scripted error")
            self.send(
                step["status"],
                json.dumps({"error": {"message": error}}).encode(),
                step.get("headers", {}),
            )
            return
        shape = anthropic_reply if anthropic else openai_reply
        self.send(200, json.dumps(shape(step, body["model"])).encode(), {})

    def send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def openai_reply(step: Step, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.get("text")}
    if step.get("refuse"):
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    return {
        "model": step.get("model", model),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


def anthropic_reply(step: Step, model: str) -> dict[str, Any]:
    return {
        "model": step.get("model", model),
        "content": [{"type": "text", "text": step.get("text") or ""}],
        "stop_reason": "refusal" if step.get("refuse") else "end_turn",
        "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 10},
    }


def says(score: Any, reasoning: str = "because") -> Step:
    """A reply with a score."""
    return {"text": json.dumps({"score": score, "reasoning": reasoning})}


def in_turn(*steps: Step) -> Script:
    """The steps one after the other, then the last one for ever."""
    return lambda asked: steps[min(asked["number"], len(steps) - 1)]
